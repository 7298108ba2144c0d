/// The definitions of Box; included only by the generated tables, which instantiate each Box once.
#pragma once

#include "machinery/box.h"

namespace dray {

template <class T>
Box<T>::Box(const Box& other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
template <class T>
Box<T>& Box<T>::operator=(const Box& other) {
  if (this != &other) {
    T* const copy = other.value_ ? new T(*other.value_) : nullptr;
    delete value_;
    value_ = copy;
  }
  return *this;
}
template <class T>
Box<T>& Box<T>::operator=(const T& value) {
  T* const copy = new T(value);
  delete value_;
  value_ = copy;
  return *this;
}
template <class T>
Box<T>::~Box() {
  delete value_;
}
template <class T>
T& Box<T>::emplace() {
  T* const fresh = new T();
  delete value_;
  value_ = fresh;
  return *fresh;
}
template <class T>
void Box<T>::reset() {
  delete value_;
  value_ = nullptr;
}

}  // namespace dray
