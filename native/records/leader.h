// Which programs are the step: those of the name whose work is the most so far.
#pragma once

#include <string>
#include <utility>

namespace slice {

class Leader {
 public:
  // Notes an execution. True when the program is the step. `work` as Facts::Work() gives it.
  bool Ran(const std::string& name, const std::pair<bool, double>& work) {
    if (work > work_) {
      changed_ = name != name_;
      name_ = name;
      work_ = work;
    } else {
      changed_ = false;
    }
    return name == name_ && work.first == work_.first && work.second >= kSameStep * work_.second;
  }

  // Whether that execution made another name the step.
  bool Changed() const { return changed_; }

 private:
  // A last batch may be smaller; an evaluation has a third of a training step's FLOPs.
  static constexpr double kSameStep = 0.5;

  std::string name_;
  std::pair<bool, double> work_{false, -1};
  bool changed_ = false;
};

}  // namespace slice
