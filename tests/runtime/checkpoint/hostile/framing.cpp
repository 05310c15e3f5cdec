#include "tests/runtime/checkpoint/hostile/hostile_file.h"
#include "tests/support/safetensors_writer.h"

namespace metasan::testing {

using Code = CheckpointErrorCode;

std::vector<HostileFile> files_with_broken_framing() {
  const auto sound = [] { return SafetensorsWriter().add("w", "F32", {2}, "12345678").bytes(); };
  const auto lfs = [] {
    return std::string(
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db\nsize "
        "90868376\n");
  };
  const auto with_length = [](std::uint64_t length) {
    return [length] { return safetensors_file("{}", "", length); };
  };
  return {
      {"EmptyFile", [] { return std::string(); }, Code::HeaderTooSmall, {"0 bytes", "8"}},
      {"SevenBytes", [] { return std::string(7, '\0'); }, Code::HeaderTooSmall, {"7 bytes"}},
      {"EmptyHeader",
       [] { return safetensors_file(""); },
       Code::InvalidHeaderDeserialization,
       {"empty"}},
      {"LengthOneMoreThanFile",
       with_length(3),
       Code::InvalidHeaderLength,
       {"10 bytes", "needs 11", "1 are missing"}},
      {"LengthEightMoreThanFile",
       with_length(10),
       Code::InvalidHeaderLength,
       {"needs 18", "8 are missing"}},
      {"LengthAtTheLimit", with_length(100'000'000), Code::InvalidHeaderLength, {"100000008"}},
      {"LengthAboveTheLimit",
       with_length(100'000'001),
       Code::HeaderTooLarge,
       {"100000001", "100000000"}},
      {"LengthThatOverflows", with_length(~0ULL), Code::HeaderTooLarge, {"18446744073709551615"}},
      {"LengthThatOverflowsByEight",
       with_length(~0ULL - 7),
       Code::HeaderTooLarge,
       {"18446744073709551608"}},
      {"LengthEightTooShort",
       [sound] {
         std::string file = sound();
         file[0] = static_cast<char>(file[0] - 8);
         return file;
       },
       Code::InvalidHeaderDeserialization},
      {"HeaderNotUtf8",
       [] { return safetensors_file("{\"\xff\":1}"); },
       Code::InvalidHeader,
       {"UTF-8"}},
      {"CutInsideTheLength", [sound] { return sound().substr(0, 5); }, Code::HeaderTooSmall},
      {"CutInsideTheHeader",
       [sound] { return sound().substr(0, 20); },
       Code::InvalidHeaderLength,
       {"20 bytes"}},
      {"GitLfsPointer",
       lfs,
       Code::LfsPointer,
       {"90868376 bytes", "sha256:53aa5117", "git lfs pull"}},
      {"GitLfsPointerCut", [lfs] { return lfs().substr(0, 60); }, Code::LfsPointer},
      {"ZipArchive",
       [] { return "PK\x03\x04" + std::string(60, '\1'); },
       Code::UnsupportedFormat,
       {".bin"}},
      {"Pickle",
       [] { return "\x80\x02" + std::string(60, '\1'); },
       Code::UnsupportedFormat,
       {"pickle"}},
      {"ErrorPage",
       [] { return std::string("<!DOCTYPE html><html></html>"); },
       Code::UnsupportedFormat,
       {"HTML"}},
      {"JsonText",
       [] { return std::string("{\"weight_map\": {}}"); },
       Code::UnsupportedFormat,
       {"index.json"}},
  };
}

}  // namespace metasan::testing
