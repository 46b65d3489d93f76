"""What a page's sliders ask for: what people move, not what the viewer puts there."""

import threading

from haptos.view.page_asks import Asks


class LateSlider:
    """Calls back from a thread of its own, and not before the next value is on its way."""

    def __init__(self):
        self._value, self._call, self.late = 0.0, None, None

    def on_update(self, call):
        self._call = call

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        if self.late is not None:
            self.late.start()
            self.late.join(0.05)  # has run, or waits for what is going on here
        self._value = new
        self.late = threading.Thread(target=self._call, args=(None,))

    def drain(self):
        self.late.start()
        self.late.join()
        self.late = None


def test_only_a_person_asks_however_late_the_page_calls_back():
    asks, slider = Asks(), LateSlider()
    asks.watch("frame", slider)
    for k in range(5):
        asks.put("frame", slider, float(k + 1))
    slider.drain()
    assert asks.take() == {}
    slider.value = 2.0  # a person
    slider.drain()
    assert asks.take() == {("slider", "frame"): 2.0}
    asks.put("frame", slider, 6.0)
    slider.drain()
    assert asks.take() == {}


def test_what_a_person_moved_outlives_a_put_before_its_call_back():
    asks, slider = Asks(), LateSlider()
    asks.watch("frame", slider)
    slider.value = 4.0  # a person; the call back is late
    asks.put("frame", slider, 0.0)  # the page still shows the first frame
    assert slider.value == 4.0
    slider.drain()
    assert asks.take() == {("slider", "frame"): 4.0}
    asks.put("frame", slider, 4.0)
    asks.put("frame", slider, 5.0)
    slider.drain()
    assert slider.value == 5.0 and asks.take() == {}
