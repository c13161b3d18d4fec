#include "transforms/vectorize/WindowFilterTable.h"

#include "transforms/vectorize/ConstantFilter.h"
#include "transforms/vectorize/VectorLoopBuilder.h"

using namespace mlir;

namespace kgen {
namespace {

using Form = WindowFilterTable::Form;

/// The dimension of the filter that is indexed by the channel; nothing if there is none, or if
/// others depend on the channel, too.
std::optional<unsigned> channelsOf(AffineMap map, unsigned channel) {
  AffineExpr index = getAffineDimExpr(channel, map.getContext());
  for (AffineExpr other : map.getResults())
    if (other != index && other.isFunctionOfDim(channel))
      return std::nullopt;
  return map.getResultPosition(index);
}

/// Puts the taps in the order of a table.
class TableWriter {
public:
  TableWriter(const ConstantFilter &filter, bool isUnsigned, Form form, size_t groups)
      : filter(filter), isUnsigned(isUnsigned), form(form), groups(static_cast<int64_t>(groups)),
        numbers(filter.channels() * this->groups * form.taps, 0) {}

  /// Writes a tap of all channels. `index`: that of the tap in the filter.
  void write(int64_t group, int64_t tap, ArrayRef<int64_t> index) {
    for (int64_t begin = 0, width = form.width, channels = filter.channels(); begin < channels;
         begin += width) {
      const int64_t left = channels - begin;
      while (form.ofBlocks && width > left)
        width /= 2;
      if (width < leastWidth())
        return;
      width = std::min(width, left);
      for (int64_t i = 0; i < width; ++i)
        numbers[placeOf(begin, width, group, i) + tap] = filter.at(begin + i, index, isUnsigned);
    }
  }

  std::vector<int16_t> takeNumbers() { return std::move(numbers); }

private:
  static constexpr int64_t ofParts = 16; // channels that the parts differ by

  int64_t leastWidth() const { return form.ofBlocks ? ofParts : 1; }

  int64_t placeOf(int64_t begin, int64_t width, int64_t group, int64_t i) const {
    const int64_t ofGroup = begin * groups + group * width; // in channels
    if (!form.ofBlocks)
      return (ofGroup + i) * form.taps;
    constexpr int64_t parts = WindowFilterTable::parts, each = ofParts / parts;
    const int64_t part = i % ofParts / each, ofPart = i / ofParts * each + i % each;
    return (ofGroup + part * (width / parts) + ofPart) * form.taps;
  }

  const ConstantFilter &filter;
  bool isUnsigned;
  Form form;
  int64_t groups;
  std::vector<int16_t> numbers;
};

Value constantOf(OpBuilder &b, Location loc, const std::vector<int16_t> &numbers, bool areWords) {
  auto constant = [&](auto list) -> Value {
    auto type = RankedTensorType::get({static_cast<int64_t>(list.size())},
                                      b.getIntegerType(8 * sizeof list.front()));
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(list)));
  };
  return areWords ? constant(numbers)
                  : constant(std::vector<int8_t>(numbers.begin(), numbers.end()));
}

} // namespace

std::optional<WindowFilterTable> WindowFilterTable::make(OpBuilder &b, const WindowShape &shape,
                                                         ByteProduct::Factor filter,
                                                         const WindowTapGroups &groups, Form form) {
  linalg::GenericOp op = shape.op;
  AffineMap map = shape.mapOf(op, filter.input);
  std::optional<unsigned> alongChannels = channelsOf(map, shape.channel);
  auto constant = alongChannels
                      ? ConstantFilter::match(op.getDpsInputs()[filter.input], *alongChannels)
                      : std::nullopt;
  if (!constant)
    return std::nullopt;
  const int64_t channels = shape.sizes[shape.channel];
  if (channels != constant->channels() &&
      (channels % form.width != 0 || constant->divisorOfFirst() % form.width != 0))
    return std::nullopt;
  TableWriter writer(*constant, filter.isUnsigned, form, groups.all().size());
  for (auto [group, taps] : llvm::enumerate(groups.all()))
    for (auto [number, tap] : llvm::enumerate(taps))
      if (tap)
        writer.write(static_cast<int64_t>(group), static_cast<int64_t>(number),
                     map.compose(shape.taps[*tap]));
  WindowFilterTable result(form, groups.all().size());
  result.table = constantOf(b, op.getLoc(), writer.takeNumbers(), /*areWords=*/form.taps == 2);
  result.first = constant->firstChannel(b, op.getLoc());
  return result;
}

Value WindowFilterTable::read(OpBuilder &b, Location loc, size_t group, Value channel,
                              int64_t width, int64_t part) const {
  auto index = [&](int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); };
  const int64_t elements = width * form.taps / partsOfGroup,
                ofPart = static_cast<int64_t>(group) * partsOfGroup + part;
  Value begin = b.createOrFold<arith::MulIOp>(
      loc, b.createOrFold<arith::AddIOp>(loc, first, channel), index(groups * form.taps));
  Value start = b.createOrFold<arith::AddIOp>(loc, begin, index(ofPart * elements));
  return readVector(b, loc, table, start, elements);
}

} // namespace kgen
