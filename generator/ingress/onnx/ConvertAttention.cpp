// com.microsoft's operators with heads: MultiHeadAttention and GroupQueryAttention become the
// standard's Attention, RotaryEmbedding and TensorScatter.
#include "ingress/onnx/Converters.h"

#include <algorithm>
#include <numeric>

namespace kgen::onnx {
namespace {

/// [batch, length, heads * width] as [batch, length, heads, width], or the other way round.
ValueId split(NodeImport &node, ValueId rows, int64_t heads, int64_t width) {
  return node.add("Reshape", {rows, node.integerConstant({0, 0, heads, width})});
}
ValueId joined(NodeImport &node, ValueId heads, int64_t width) {
  return node.add("Reshape", {heads, node.integerConstant({0, 0, width})});
}

/// [batch, length, heads, width] as [batch, heads, length, width], or the other way round.
ValueId exchanged(NodeImport &node, ValueId value) {
  return node.add("Transpose", {value}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

/// Parts of those sizes along an axis.
std::vector<ValueId> parts(NodeImport &node, ValueId whole, const std::vector<int64_t> &sizes,
                           int64_t axis) {
  return node.add("Split", {whole, node.integerConstant(sizes)}, {{"axis", axis}},
                  std::vector<bool>(sizes.size(), true));
}

void setScale(NodeImport &node, Attributes &attributes) {
  if (double scale = node.real("scale", 0); scale != 0)
    attributes["scale"] = scale;
}

/// MultiHeadAttention, with queries, keys and values as [batch, length, width].
class MultiHead {
public:
  explicit MultiHead(NodeImport &node) : node(node), heads(node.integer("num_heads", 0)) {}

  void convert() {
    if (heads < 1)
      return node.refuse("num_heads must be at least 1");
    for (Input i : {pastLength, cacheIndirection})
      if (node.hasInput(i))
        return node.refuse("it reads a cache that is shared with its result");
    if (node.hasOutput(3))
      return node.refuse("its scores are read");
    if (!readOperands() || !addBias() || !readMasks())
      return;
    Attributes attributes{{"q_num_heads", heads},
                          {"kv_num_heads", heads},
                          {"is_causal", node.integer("unidirectional", 0)}};
    setScale(node, attributes);
    std::vector<ValueId> inputs{
        query, key, value, mask, node.input(pastKeys), node.input(pastValues), keyCounts};
    while (inputs.back() == noValue)
      inputs.pop_back();
    node.become("Attention", inputs, attributes);
  }

private:
  enum Input : size_t {
    queries,
    keys,
    values,
    bias,
    keyMask,
    addedMask,
    pastKeys,
    pastValues,
    pastLength,
    cacheIndirection
  };

  bool fail(const std::string &why) {
    node.refuse(why);
    return false;
  }

  /// One of several that lie side by side in the dimension before the last.
  ValueId unpacked(ValueId part) { return joined(node, part, heads * node.size(part, 4)); }

  bool readOperands() {
    query = node.input(queries), key = node.input(keys), value = node.input(values);
    if (node.rank(query) == 5) {
      if (node.hasInput(keys) || node.hasInput(values))
        return fail("keys or values are there twice");
      std::vector<ValueId> three = parts(node, query, {1, 1, 1}, 3);
      query = unpacked(three[0]), key = unpacked(three[1]), value = unpacked(three[2]);
    } else if (!node.hasInput(keys)) {
      return fail("its queries, keys and values are packed in another form than [batch, length, "
                  "heads, 3, width]");
    } else if (node.rank(key) == 5) {
      if (node.hasInput(values))
        return fail("values are there twice");
      std::vector<ValueId> two = parts(node, key, {1, 1}, 3);
      key = unpacked(two[0]), value = unpacked(two[1]);
    } else if (!node.hasInput(values)) {
      return fail("it has keys without values");
    } else if (node.rank(key) == 4 && node.rank(value) == 4) {
      if (node.hasInput(bias))
        return fail("it adds a bias to keys that are split into heads");
      key = joined(node, exchanged(node, key), heads * node.size(key, 3));
      value = joined(node, exchanged(node, value), heads * node.size(value, 3));
    }
    return true;
  }

  /// The bias of queries, keys and values, one after another.
  bool addBias() {
    if (!node.hasInput(bias))
      return true;
    int64_t width = node.size(query, 2), valueWidth = node.size(value, 2);
    std::vector<ValueId> three = parts(node, node.input(bias), {width, width, valueWidth}, 0);
    query = node.add("Add", {query, three[0]});
    key = node.add("Add", {key, three[1]});
    value = node.add("Add", {value, three[2]});
    return true;
  }

  /// Numbers that are added to scores: 0 where a mask has something else than 0.
  ValueId addedTo(ValueId seen) {
    ElementType type = node.type(query).element;
    ValueId isSeen = node.add("Cast", {seen}, {{"to", std::string("bool")}});
    double hidden = node.real("mask_filter_value", -10000);
    return node.add("Where",
                    {isSeen, node.numberConstant(0, type), node.numberConstant(hidden, type)});
  }

  bool readMasks() {
    if (node.hasInput(addedMask))
      mask = node.input(addedMask);
    if (!node.hasInput(keyMask))
      return true;
    ValueId given = node.input(keyMask);
    const TensorShape &shape = node.type(given).shape;
    Dim batch = node.type(query).shape.dim(0);
    if (shape.size() == 1 && shape.dim(0) == batch) {
      if (node.integer("unidirectional", 0) || node.hasInput(pastKeys))
        return fail("it has numbers of keys, and a past or an order of queries");
      keyCounts = node.add("Cast", {given}, {{"to", std::string("i64")}});
      return true;
    }
    if (shape.size() != 2 && shape.size() != 3)
      return fail("its key_padding_mask is " + node.type(given).str());
    Dim count = node.type(key).shape.dim(1);
    if (node.hasInput(pastKeys))
      count = count + node.type(node.input(pastKeys)).shape.dim(2);
    if (shape.dim(shape.size() - 1) != count)
      return fail("its key_padding_mask, " + node.type(given).str() + ", has not all " +
                  count.str() + " keys");
    ValueId axes = node.integerConstant(shape.size() == 2 ? std::vector<int64_t>{1, 2}
                                                          : std::vector<int64_t>{1});
    ValueId hidden = addedTo(node.add("Unsqueeze", {given, axes}));
    mask = mask == noValue ? hidden : node.add("Add", {mask, hidden});
    return true;
  }

  NodeImport &node;
  int64_t heads;
  ValueId query = noValue, key = noValue, value = noValue, mask = noValue, keyCounts = noValue;
};

/// GroupQueryAttention: a causal one over a cache, each sequence of which has its own length.
class GroupQuery {
public:
  explicit GroupQuery(NodeImport &node)
      : node(node), heads(node.integer("num_heads", 0)), shared(node.integer("kv_num_heads", 0)) {}

  void convert() {
    if (!checkForm())
      return;
    if (!readHeads())
      return;
    countKeys();
    if (node.integer("do_rotary", 0) && !rotate())
      return;
    ValueId keyCache = cache(key, pastKeys), valueCache = cache(value, pastValues);
    Attributes attributes{{"is_causal", int64_t(1)}, {"softcap", node.real("softcap", 0)}};
    setScale(node, attributes);
    if (int64_t window = node.integer("local_window_size", -1); window > 0)
      attributes["left_window_size"] = window - 1;
    std::vector<ValueId> inputs{query, seen(keyCache), seen(valueCache), node.input(addedMask)};
    if (hasPast())
      inputs.insert(inputs.end(), {noValue, noValue, counts});
    if (inputs.back() == noValue)
      inputs.pop_back();
    ValueId mixed = node.add("Attention", inputs, attributes);
    node.result(0, joined(node, exchanged(node, mixed), heads * width));
    node.result(1, keyCache);
    node.result(2, valueCache);
  }

private:
  enum Input : size_t {
    queries,
    keys,
    values,
    pastKeys,
    pastValues,
    lastKeys,
    totalLength,
    cosines,
    sines,
    positions,
    addedMask,
    sinks
  };

  bool fail(const std::string &why) {
    node.refuse(why);
    return false;
  }

  bool hasPast() const { return node.hasInput(pastKeys); }

  bool checkForm() {
    if (heads < 1 || shared < 1)
      return fail("num_heads and kv_num_heads must be at least 1");
    if (node.integer("smooth_softmax", 0) > 0 || node.hasInput(sinks))
      return fail("its softmax has a score of no key (smooth_softmax, head_sink)");
    if (node.inputCount() > sinks + 1 || node.has("k_quant_type") || node.has("v_quant_type"))
      return fail("its cache is quantized");
    if (node.hasOutput(3))
      return fail("its scores are read");
    if (node.hasInput(pastKeys) != node.hasInput(pastValues))
      return fail("past_key and past_value come together");
    return true;
  }

  bool readHeads() {
    ValueId packed = node.input(queries), parted[3] = {packed, noValue, noValue};
    bool isPacked = !node.hasInput(keys);
    if (node.rank(packed) != 3 || isPacked != !node.hasInput(values))
      return fail("expected queries, keys and values of [batch, length, heads * width]");
    int64_t all = node.size(packed, 2), sharing = isPacked ? heads + 2 * shared : heads;
    if (all % sharing != 0)
      return fail("the last dimension of its queries is no multiple of " + std::to_string(sharing) +
                  " heads");
    width = all / sharing;
    if (isPacked) {
      std::vector<ValueId> three =
          parts(node, packed, {heads * width, shared * width, shared * width}, 2);
      std::copy(three.begin(), three.end(), parted);
    } else {
      parted[1] = node.input(keys), parted[2] = node.input(values);
    }
    query = exchanged(node, split(node, parted[0], heads, width));
    key = exchanged(node, split(node, parted[1], shared, width));
    value = exchanged(node, split(node, parted[2], shared, width));
    return true;
  }

  /// The numbers from 0 up to the queries of a sequence. Code does not compute with sizes that it
  /// is given, so open ones are counted.
  ValueId steps() {
    if (Dim length = node.type(query).shape.dim(2); length.isNumber()) {
      std::vector<int64_t> numbers(static_cast<size_t>(*length.number()));
      std::iota(numbers.begin(), numbers.end(), 0);
      return node.integerConstant(numbers);
    }
    return node.add("CumSum", {ones(), node.wholeConstant(0, ElementType::i64)},
                    {{"exclusive", int64_t(1)}});
  }

  ValueId queryCount() {
    if (Dim length = node.type(query).shape.dim(2); length.isNumber())
      return node.integerConstant({*length.number()});
    return node.add("ReduceSum", {ones()}, {{"keepdims", int64_t(1)}});
  }

  ValueId ones() {
    ValueId length = node.add("Shape", {query}, {{"start", int64_t(2)}, {"end", int64_t(3)}});
    return node.add("Expand", {node.integerConstant({1}), length});
  }

  /// The keys that count of each sequence, those of this call included, and how many were there
  /// before. A sequence that is shorter than its first call is as long as that: what its last
  /// queries give is nobody's.
  void countKeys() {
    ValueId last = node.add("Cast", {node.input(lastKeys)}, {{"to", std::string("i64")}});
    last = node.add("Reshape", {last, node.integerConstant({-1})});
    ValueId all = node.add("Add", {last, node.integerConstant({1})}), length = queryCount();
    counts = node.add("Max", {all, length});
    before = node.add("Sub", {counts, length});
  }

  bool rotate() {
    if (!node.hasInput(cosines) || !node.hasInput(sines))
      return fail("it rotates without caches of cosines and sines");
    ValueId at = node.input(positions);
    if (!node.hasInput(positions)) {
      ValueId first = node.add("Unsqueeze", {before, node.integerConstant({1})});
      at = node.add("Add", {first, steps()});
    }
    Attributes attributes{{"interleaved", node.integer("rotary_interleaved", 0)}};
    if (int64_t rotated = 2 * node.size(node.input(cosines), 1); rotated != width)
      attributes["rotary_embedding_dim"] = rotated;
    for (ValueId *rows : {&query, &key})
      *rows = node.add("RotaryEmbedding", {*rows, node.input(cosines), node.input(sines), at},
                       attributes);
    return true;
  }

  /// True if the cache has room for all keys that there may be, by the number of them or by what
  /// the model says of the result: that is as long as the cache is.
  bool keepsLength(ValueId past) {
    Dim length = node.type(past).shape.dim(2);
    std::optional<Dim> total;
    if (auto numbers = node.integers(node.input(totalLength)); numbers && numbers->size() == 1)
      total = Dim(numbers->front());
    else if (node.hasOutput(1))
      total = node.importer.saidSize(node.proto.output(1), 2);
    return total && (length - *total).bounds().min >= 0;
  }

  /// The cache with the rows of this call.
  ValueId cache(ValueId rows, size_t past) {
    if (!hasPast())
      return rows;
    ValueId old = node.input(past);
    if (!keepsLength(old))
      old = node.add("Concat", {old, rows}, {{"axis", int64_t(2)}});
    return node.add("TensorScatter", {old, rows, before});
  }

  /// Returns the rows that a call may see of a cache with room: as many as the total length is,
  /// where that is a size.
  ValueId seen(ValueId cache) {
    const ValueId total = node.input(totalLength), added = node.input(addedMask);
    if (!hasPast() || total >= brokenValue || added == brokenValue)
      return cache;
    const GraphValue &value = node.importer.valueOf(total);
    const Dim length = node.type(cache).shape.dim(2);
    const bool isSize = value.kind == ValueKind::sizes && value.sizes.size() == 1;
    if (!isSize || (length - value.sizes.front()).bounds().min < 0)
      return cache;
    if (added != noValue && node.type(added).shape.dim(3) != value.sizes.front())
      return cache;
    ValueId end = node.add("Cast", {total}, {{"to", std::string("i64")}});
    end = node.add("Reshape", {end, node.integerConstant({1})});
    return node.add("Slice", {cache, node.integerConstant({0}), end, node.integerConstant({2})});
  }

  NodeImport &node;
  int64_t heads, shared, width = 0;
  ValueId query = noValue, key = noValue, value = noValue, counts = noValue, before = noValue;
};

} // namespace

void addAttentionConverters(ConverterTable &table) {
  table["com.microsoft.MultiHeadAttention"] = [](NodeImport &node) { MultiHead(node).convert(); };
  table["com.microsoft.GroupQueryAttention"] = [](NodeImport &node) { GroupQuery(node).convert(); };
}

} // namespace kgen::onnx
