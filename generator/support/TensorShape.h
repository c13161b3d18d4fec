// The sizes of a tensor's dimensions: numbers, and sizes that are known at run time only.
#pragma once

#include "support/Dim.h"

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace kgen {

/// A list of sizes. Where all are numbers, it is what a vector of them is. To ask for the number of
/// a symbolic size is an error of the program, which ends it: `dim` has every size.
class TensorShape {
public:
  using value_type = int64_t;
  using iterator = std::vector<int64_t>::iterator;
  using const_iterator = std::vector<int64_t>::const_iterator;

  TensorShape() = default;
  TensorShape(std::vector<int64_t> numbers) : sizes(std::move(numbers)) {}
  TensorShape(std::initializer_list<int64_t> numbers) : sizes(numbers) {}
  TensorShape(const std::vector<Dim> &dims);
  template <typename Iterator> TensorShape(Iterator first, Iterator last) : sizes(first, last) {}

  size_t size() const { return sizes.size(); }
  bool empty() const { return sizes.empty(); }
  bool isStatic() const { return symbolic.empty(); }
  bool isSymbolic(size_t i) const { return !isStatic() && !symbolic[i].isNumber(); }

  Dim dim(size_t i) const { return isSymbolic(i) ? symbolic[i] : Dim(sizes[i]); }
  std::vector<Dim> dims() const;
  void setDim(size_t i, const Dim &dim);
  /// True if dimension i has one element, whatever the symbols are.
  bool isUnit(size_t i) const { return !isSymbolic(i) && sizes[i] == 1; }
  /// True if no tensor of the shape has elements.
  bool isEmptyTensor() const;
  /// The number of elements of dimensions [first, end); of all of them.
  Dim elements(size_t first, size_t end) const;
  Dim elements() const { return elements(0, size()); }

  int64_t operator[](size_t i) const { return checked(i); }
  /// To be written as a number.
  int64_t &operator[](size_t i) { return checked(i), sizes[i]; }
  int64_t front() const { return checked(0); }
  int64_t back() const { return checked(size() - 1); }
  int64_t &front() { return (*this)[0]; }
  int64_t &back() { return (*this)[size() - 1]; }
  const std::vector<int64_t> &numbers() const;
  operator const std::vector<int64_t> &() const { return numbers(); }
  const int64_t *data() const { return numbers().data(); }
  const_iterator begin() const { return numbers().begin(); }
  const_iterator end() const { return numbers().end(); }
  iterator begin() { return numbers(), sizes.begin(); }
  iterator end() { return numbers(), sizes.end(); }

  void push_back(const Dim &dim) { insertDim(size(), dim); }
  int64_t &emplace_back() { return push_back(0), sizes.back(); }
  void pop_back() { eraseDim(size() - 1); }
  void insertDim(size_t before, const Dim &dim);
  void eraseDim(size_t i);
  void insert(const_iterator before, int64_t number) { numbers(), sizes.insert(before, number); }
  template <typename Iterator> void insert(const_iterator before, Iterator first, Iterator last) {
    numbers(), sizes.insert(before, first, last);
  }
  void erase(const_iterator at) { numbers(), sizes.erase(at); }

  friend bool operator==(const TensorShape &a, const TensorShape &b);
  friend bool operator!=(const TensorShape &a, const TensorShape &b) { return !(a == b); }

private:
  int64_t checked(size_t i) const;

  std::vector<int64_t> sizes; ///< 0 where the size is symbolic
  std::vector<Dim> symbolic;  ///< of every dimension; empty: no size is symbolic
};

} // namespace kgen
