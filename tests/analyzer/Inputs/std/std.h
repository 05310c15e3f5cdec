// The little of the standard library that the tests need; the real headers cost most of the parse.
#pragma once

namespace std {
using size_t = decltype(sizeof(0));
using nullptr_t = decltype(nullptr);

template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T &> { using type = T; };
template <class T> struct remove_reference<T &&> { using type = T; };
template <class T> constexpr typename remove_reference<T>::type &&move(T &&t) noexcept {
  return static_cast<typename remove_reference<T>::type &&>(t);
}
template <class T> constexpr T &&forward(typename remove_reference<T>::type &t) noexcept {
  return static_cast<T &&>(t);
}

inline namespace __cxx11 {
template <class C> class basic_string {
public:
  basic_string();
  basic_string(const C *);
  basic_string(const basic_string &);
  ~basic_string();
};
} // namespace __cxx11
using string = basic_string<char>;

namespace filesystem {
class path {
public:
  path();
  path(const string &);
  path(const char *);
  path(const path &);
  ~path();
};
path operator/(const path &, const path &);
} // namespace filesystem

struct source_location {
  static constexpr source_location current() noexcept { return {}; }
};

struct ostream {};
extern ostream cout;

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
struct in_place_t {};
inline constexpr in_place_t in_place{};
template <class T> class optional {
public:
  optional();
  optional(nullopt_t);
  template <class U> optional(U &&);
  template <class... A> optional(in_place_t, A &&...);
  ~optional();
  T &operator*();
  T *operator->();
  const T &operator*() const;
  T &value();
  bool has_value() const;
  explicit operator bool() const;
  template <class... A> T &emplace(A &&...);
  void reset();
};

template <class T> class shared_ptr {
public:
  shared_ptr();
  shared_ptr(nullptr_t);
  explicit shared_ptr(T *);
  template <class U> shared_ptr(const shared_ptr<U> &);
  shared_ptr(const shared_ptr &);
  shared_ptr &operator=(const shared_ptr &);
  ~shared_ptr();
  T &operator*() const;
  T *operator->() const;
  T *get() const;
  void reset();
  explicit operator bool() const;
};
template <class T> class unique_ptr {
public:
  unique_ptr();
  unique_ptr(nullptr_t);
  explicit unique_ptr(T *);
  unique_ptr(unique_ptr &&);
  unique_ptr &operator=(unique_ptr &&);
  ~unique_ptr();
  T &operator*() const;
  T *operator->() const;
  T *get() const;
  void reset();
  explicit operator bool() const;
};
template <class T, class... A> shared_ptr<T> make_shared(A &&...);
template <class T, class... A> unique_ptr<T> make_unique(A &&...);

template <class T> class initializer_list {
  const T *Begin;
  size_t Size;

public:
  const T *begin() const;
  const T *end() const;
};

template <class T> class vector {
public:
  struct iterator {
    T &operator*() const;
    T *operator->() const;
    iterator &operator++();
    bool operator!=(const iterator &) const;
  };
  vector();
  vector(initializer_list<T>);
  vector(const vector &);
  ~vector();
  void push_back(const T &);
  void push_back(T &&);
  T &operator[](size_t);
  T &at(size_t);
  T &front();
  T &back();
  iterator begin();
  iterator end();
  size_t size() const;
  bool empty() const;
};

template <class A, class B> struct pair {
  A first;
  B second;
};
template <class A, class B> pair<A, B> make_pair(A, B);
template <class T> void swap(T &a, T &b) noexcept {
  T old = move(a);
  a = move(b);
  b = move(old);
}

class exception {
public:
  virtual ~exception();
};
class runtime_error : public exception {
public:
  explicit runtime_error(const char *);
};

template <class F> class function;
template <class R, class... A> class function<R(A...)> {
public:
  template <class F> function(F) {}
  R operator()(A...) const;
};
} // namespace std
