#pragma once

#include <metasan/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace metasan::testing {

/// Expects `call` to throw a CheckpointError with this code, whose message has all of `texts`.
template <typename Call>
void expect_checkpoint_error(Call&& call, CheckpointErrorCode code,
                             std::initializer_list<std::string> texts = {}) {
  try {
    call();
    ADD_FAILURE() << "no error, expected " << to_string(code);
  } catch (const CheckpointError& error) {
    EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
    for (const std::string& text : texts) {
      EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(text));
    }
  }
}

}  // namespace metasan::testing
