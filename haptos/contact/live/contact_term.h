// A term of contact, of any model: besides the five verbs it has friction, leaves records, and
// remembers what friction needs.
#pragma once

#include <vector>

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/contact/record.h"
#include "haptos/system/facets/lag.h"
#include "haptos/system/term.h"

namespace haptos {

/// What every contact term offers besides the five verbs.
class ContactTerm : public Term, protected Lagged {
 public:
  explicit ContactTerm(FrictionCone cone = {}) : friction_(cone) {}

  /// Contacts of the last committed step; of a term of many pairs see add_contacts().
  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  /// Adds them to `all`.
  virtual void add_contacts(std::vector<ContactPoint>& all) const {
    all.insert(all.end(), contacts_.begin(), contacts_.end());
  }
  /// Takes no more support for two surfaces than nine tenths of their gap at x, the start of a run;
  /// the pressure at a given part of it stays. To be called before any step.
  virtual void fit_supports(const std::vector<Vec3d>& x) { (void)x; }
  /// Friction of one of its pairs from the next step on; of a term of one pair, 0.
  virtual void set_cone(int pair, const FrictionCone& cone) {
    (void)pair;
    friction_.set_cone(cone);
  }
  /// Adds to `next` what the pairs of the last committed step remember.
  virtual void remember(ContactHistory& next) const { friction_.remember(next); }

  Lagged* lagged() override { return friction_.active() ? this : nullptr; }

 protected:
  void renew_lags(const Points& points, std::vector<LagRow>& rows) override;
  void set_lags(std::span<const LagRow> rows) override { friction_.set_lags(rows); }

  /// Places of contact at the refreshed point, for a model with friction.
  virtual void friction_contacts(const Points&, std::vector<FrictionContact>&) const {}
  /// The surface that holds the anchor of a contact; nullptr: a half-space.
  virtual const ContactSurface* anchor_surface(const FeaturePair&) const { return nullptr; }

  /// To be called by prepare() and commit(), with the term refreshed at the points.
  void begin_friction(const StepContext& context);
  void end_friction(const StepContext& context, const Points& points);

  AnchoredFriction friction_;
  std::vector<ContactPoint> contacts_;

 private:
  void lag(const Points& points);
};

}  // namespace haptos
