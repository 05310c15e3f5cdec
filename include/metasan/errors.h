#pragma once

#include <metasan/export.h>
#include <metasan/rules.h>

#include <c10/util/Exception.h>

#include <filesystem>
#include <string>
#include <utility>

namespace metasan {

/// A rule of MetaSan was violated: thrown by the operator or call that needed data which is not
/// there.
///
/// `what()` is the whole report. It contains PyTorch's own text of the same error ("Cannot copy out
/// of meta tensor; no data!"), so code that matches strings keeps working.
class METASAN_API MetaTensorError : public c10::NotImplementedError {
 public:
  MetaTensorError(Rule rule, std::string tensor, std::string op, const std::string& report)
      : c10::NotImplementedError(report, nullptr),
        rule_(rule),
        tensor_(std::move(tensor)),
        op_(std::move(op)) {}

  Rule rule() const { return rule_; }
  /// The fully qualified name of the tensor at fault; empty when its module is not known.
  const std::string& tensor() const { return tensor_; }
  /// The operator ("aten::_to_copy") or MetaSan function ("metasan::dispatch_model") that found it.
  const std::string& op() const { return op_; }

 private:
  Rule rule_;
  std::string tensor_;
  std::string op_;
};

/// What can be wrong with a checkpoint; one line per code in checkpoint_errors.def.
enum class CheckpointErrorCode : std::uint8_t {
#define METASAN_CHECKPOINT_ERROR(Enumerator, ...) Enumerator,
#include <metasan/checkpoint_errors.def>
};

/// The name of the code, as in checkpoint_errors.def: "HeaderTooLarge".
METASAN_API std::string_view to_string(CheckpointErrorCode code);

/// A checkpoint, or its fit to a module, is not sound. Thrown before the module is changed.
class METASAN_API CheckpointError : public c10::Error {
 public:
  CheckpointError(CheckpointErrorCode code, std::filesystem::path file, std::string tensor,
                  const std::string& message)
      : c10::Error(message, nullptr),
        code_(code),
        file_(std::move(file)),
        tensor_(std::move(tensor)) {}

  CheckpointErrorCode code() const { return code_; }
  const std::filesystem::path& file() const { return file_; }
  /// The tensor at fault; empty when the error is about a whole file.
  const std::string& tensor() const { return tensor_; }

 private:
  CheckpointErrorCode code_;
  std::filesystem::path file_;
  std::string tensor_;
};

}  // namespace metasan
