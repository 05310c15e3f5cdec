#pragma once

#include <metasan/errors.h>

#include <gtest/gtest.h>

#include <string>

namespace metasan::testing {

/// The report of `call`, which must be refused with `rule`.
template <typename Call>
std::string report_of(Rule rule, Call&& call) {
  try {
    call();
  } catch (const MetaTensorError& error) {
    EXPECT_EQ(info(error.rule()).id, info(rule).id) << error.what();
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a MetaTensorError: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was reported; expected " << info(rule).id;
  return {};
}

}  // namespace metasan::testing
