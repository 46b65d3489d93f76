Recorder=None
