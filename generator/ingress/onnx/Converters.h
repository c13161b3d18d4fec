// Converters of ONNX's operators, by family. Private to ingress/onnx.
#pragma once

#include "ingress/onnx/NodeImport.h"

namespace kgen::onnx {

/// Domains whose operators kgen knows: the standard's (""), and com.microsoft.
bool isKnownDomain(const std::string &domain);
/// The converter of an operator that is not simply kgen's of the same name, or null.
Converter findConverter(const std::string &domain, const std::string &name);

/// kgen's operator of the same name with the same inputs and attributes.
void convertSameName(NodeImport &node);

// The families; each adds its operators. Names of com.microsoft's begin with "com.microsoft.".
void addConstantConverters(ConverterTable &table);      ///< Constant, NonZero, windows, ...
void addElementwiseConverters(ConverterTable &table);   ///< Cast, Clip, Dropout, ...
void addShapeConverters(ConverterTable &table);         ///< Pad, Scatter, TopK, Compress, ...
void addNormalizationConverters(ConverterTable &table); ///< Softmax, BatchNormalization, ...
void addWindowConverters(ConverterTable &table);        ///< pooling, Resize, RoiAlign, ...
void addLossConverters(ConverterTable &table);          ///< NegativeLogLikelihoodLoss, ...
void addControlConverters(ConverterTable &table);       ///< If, Loop, Scan
void addSequenceConverters(ConverterTable &table);      ///< SequenceConstruct, Optional, ...
void addContribConverters(ConverterTable &table);       ///< com.microsoft
void addAttentionConverters(ConverterTable &table);     ///< com.microsoft's with heads

} // namespace kgen::onnx
