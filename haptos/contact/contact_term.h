// A term of contact, of any model: besides the five verbs it leaves records and remembers pairs.
#pragma once

#include <vector>

#include "haptos/contact/record.h"
#include "haptos/model/contact_history.h"
#include "haptos/potential/term.h"

namespace haptos {

/// What every contact term offers besides the five verbs.
class ContactTerm : public Term {
 public:
  /// Contacts of the last committed step.
  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  /// Writes the contacts of the last committed step into `next`, keeping from `previous` what the
  /// same pairs remember.
  void remember(const ContactHistory& previous, std::int64_t step, ContactHistory& next) const;

 protected:
  std::vector<ContactPoint> contacts_;
};

}  // namespace haptos
