#include "runtime/guard/adopt.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/stack_args.h"

#include <algorithm>

namespace metasan::guard {

bool can_carry_record(const at::Tensor& tensor) {
  return tensor.is_meta() && tensor.has_storage() && tensor.layout() == c10::kStrided &&
         !tensor.is_quantized() && !tensor.is_nested();
}

void adopt_results(Call& call, Recorder& recorder, c10::function_ref<RecordPtr()> make_record) {
  ExcludeGuardKeys exclude;
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < call.values_size(); ++i) {
    for_each_tensor(call.argument(i), [&](const at::Tensor& tensor) {
      if (const auto record = record_of(tensor)) {
        const auto is_argument = [&](const DeclaredArgument& a) {
          return a.tensor.is_same(tensor);
        };
        if (std::none_of(call.declared().begin(), call.declared().end(), is_argument)) {
          record->add_view(tensor);
        }
      } else if (can_carry_record(tensor)) {
        // Two results may be parts of one new storage.
        auto known = record_on(*tensor.storage().unsafeGetStorageImpl());
        const auto adopted = known ? known : make_record();
        attach_record(tensor, adopted);
        if (!known) {
          recorder.add_output(index, tensor, adopted);
        }
      }
      ++index;
      return false;
    });
  }
}

}  // namespace metasan::guard
