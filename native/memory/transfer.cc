// Moving arrays between the host and the device.

#include <cstring>

#include "core/overrides.h"
#include "core/settings.h"
#include "memory/buffer.h"
#include "memory/strides.h"
#include "records/counts.h"
#include "records/python.h"
#include "records/unknown_reads.h"
#include "values/answers.h"
#include "values/client.h"
#include "values/unknown.h"

namespace slice {
namespace {

// Strides in bytes that the framework wants at its destination; empty when it wants row-major order.
std::vector<int64_t> WantedStrides(const ArrayType& type, const pjrt::BufferLayout* layout) {
  if (!layout) return {};
  if (layout->type == pjrt::BufferLayout::kStrides) {
    return {layout->strides.byte_strides, layout->strides.byte_strides + layout->strides.num_byte_strides};
  }
  const int64_t* order = layout->tiled.minor_to_major;
  return StridesOf(type, {order, order + layout->tiled.minor_to_major_size});
}

void Deliver(const ArrayType& type, const std::string& bytes, const std::vector<int64_t>& strides, void* to,
             size_t size) {
  if (strides.empty() || IsDense(type, strides)) {
    std::memcpy(to, bytes.data(), std::min(size, bytes.size()));
  } else {
    Scatter(type, bytes, strides, to);
  }
}

struct Read {
  ArrayTypeRef type;
  MakerRef maker;
  ValueRef value;
  std::vector<int64_t> strides;
  void* to;
  size_t size;
  UseOfRead use;

  void Finish(const std::string* bytes, const std::string& reason) const {
    if (bytes && bytes->size() == type->host_bytes) {
      Deliver(*type, *bytes, strides, to, size);
      return;
    }
    const UnknownAnswer answer = AnswerUnknown(*type, use);
    FillUnknown(type->element, answer.number, to, size);
    RecordUnknownRead({Describe(*type), maker->name, use.python, reason, NameOf(use.kind),
                       DescribeUnknown(type->element, answer.number), answer.asked});
  }
};

pjrt::Event* Start(Read read) {
  const std::string python = PythonLine();
  CountTransfer(Direction::kToHost, static_cast<int64_t>(read.type->host_bytes), python);
  if (read.value->bytes || read.type->host_bytes == 0) {
    const std::string nothing;
    read.Finish(read.value->bytes ? read.value->bytes.get() : &nothing, "");
    return ReadyEvent();
  }
  read.use = UseOfThisRead(*read.type, python);
  ValuesClient* client = read.value->client;
  if (!client) {
    read.Finish(nullptr, "nobody computes values here");
    return ReadyEvent();
  }
  pjrt::Event* event = PendingEvent();
  const uint64_t id = read.value->id;
  client->Fetch(id, [read = std::move(read), event](const std::string* bytes, const std::string& reason) {
    read.Finish(bytes, reason);
    const CompletionRef& completion = read.value->completion;
    if (!completion) {
      SetEvent(event);
      return;
    }
    completion->WhenDone(
        [event](pjrt::ErrorCode code, const std::string& why) { SetEvent(event, code, why); });
  });
  return event;
}

// The host array, copied so that it can be read back; unknown when it is too big to keep.
ValueRef Keep(const ArrayType& type, const void* data, const std::vector<int64_t>& strides) {
  if (!data || static_cast<int64_t>(type.host_bytes) > GetSettings().keep_bytes) return UnknownValue();
  std::string bytes(type.host_bytes, '\0');
  if (strides.empty() || IsDense(type, strides)) {
    std::memcpy(bytes.data(), data, bytes.size());
  } else {
    Gather(type, data, strides, bytes);
  }
  return KnownValue(std::move(bytes));
}

// Only the order of dimensions can be asked for; libtpu decides the tiles.
std::string LayoutWanted(const pjrt::BufferLayout*) { return ""; }

pjrt::Memory* Place(pjrt::Memory* memory, pjrt::Device* device) {
  if (memory) return memory;
  if (!device) throw Failure(pjrt::kInvalidArgument, "neither a device nor a memory is given for the array");
  return device->default_memory;
}

pjrt::Buffer* Copy(const pjrt::Buffer* buffer, pjrt::Memory* memory) {
  RequireAlive(buffer);
  return NewBuffer(buffer->type, memory, buffer->maker, buffer->value);
}

using namespace pjrt;  // NOLINT: the functions below are the table's own

ArrayTypeRef TypeOf(ElementType element, const int64_t* dims, size_t rank, const BufferLayout* layout) {
  return MakeArrayType(element, {dims, dims + rank}, LayoutWanted(layout));
}

Error* Client_BufferFromHostBuffer(Client_BufferFromHostBuffer_Args* arguments) {
  const ArrayTypeRef type =
      TypeOf(arguments->type, arguments->dims, arguments->num_dims, arguments->device_layout);
  const std::vector<int64_t> strides(arguments->byte_strides,
                                     arguments->byte_strides + arguments->num_byte_strides);
  Memory* memory = Place(arguments->memory, arguments->device);
  arguments->buffer = NewBuffer(type, memory, HostMaker(), Keep(*type, arguments->data, strides));
  CountTransfer(Direction::kToDevice, static_cast<int64_t>(type->host_bytes));
  arguments->done_with_host_buffer = ReadyEvent();
  return nullptr;
}

Error* Client_CreateUninitializedBuffer(Client_CreateUninitializedBuffer_Args* arguments) {
  const ArrayTypeRef type = TypeOf(arguments->type, arguments->dims, arguments->num_dims, arguments->layout);
  arguments->buffer =
      NewBuffer(type, Place(arguments->memory, arguments->device), HostMaker(), UnknownValue());
  return nullptr;
}

Error* Client_CreateErrorBuffer(Client_CreateErrorBuffer_Args* arguments) {
  const ArrayTypeRef type = TypeOf(arguments->type, arguments->dims, arguments->num_dims, arguments->layout);
  arguments->buffer = NewBuffer(type, arguments->memory, HostMaker(), UnknownValue());
  return nullptr;
}

Error* Client_CreateViewOfDeviceBuffer(Client_CreateViewOfDeviceBuffer_Args* arguments) {
  const ArrayTypeRef type = TypeOf(arguments->type, arguments->dims, arguments->num_dims, arguments->layout);
  arguments->buffer =
      NewBuffer(type, Place(arguments->memory, arguments->device), HostMaker(), UnknownValue());
  return nullptr;
}

// An alias stands for an array that comes later; which one, FulfillAliasBuffer says.
Error* Client_CreateAliasBuffer(Client_CreateAliasBuffer_Args* arguments) {
  const ArrayTypeRef type = TypeOf(arguments->type, arguments->dims, arguments->num_dims, arguments->layout);
  arguments->alias_buffer = NewBuffer(type, arguments->memory, HostMaker(), UnknownValue());
  arguments->fulfill = arguments->alias_buffer;
  return nullptr;
}

Error* Client_FulfillAliasBuffer(Client_FulfillAliasBuffer_Args* arguments) {
  auto* alias = static_cast<Buffer*>(arguments->fulfill);
  if (alias && arguments->buffer) alias->value = arguments->buffer->value;
  return nullptr;
}

Error* Buffer_CopyToDevice(Buffer_CopyToDevice_Args* arguments) {
  arguments->copy = Copy(arguments->buffer, arguments->device->default_memory);
  return nullptr;
}

Error* Buffer_CopyToMemory(Buffer_CopyToMemory_Args* arguments) {
  arguments->copy = Copy(arguments->buffer, arguments->memory);
  return nullptr;
}

Error* Buffer_ToHostBuffer(Buffer_ToHostBuffer_Args* arguments) {
  const Buffer& buffer = *arguments->buffer;
  if (!arguments->destination) {  // the caller asks for the size only
    arguments->destination_size = buffer.type->host_bytes;
    return nullptr;
  }
  RequireAlive(&buffer);
  arguments->event = Start({buffer.type,
                            buffer.maker,
                            buffer.value,
                            WantedStrides(*buffer.type, arguments->host_layout),
                            arguments->destination,
                            arguments->destination_size,
                            {}});
  return nullptr;
}

// The bytes as they lie on the device, with padding, are not modelled; what is not kept reads as unknown.
Error* Buffer_CopyRawToHost(Buffer_CopyRawToHost_Args* arguments) {
  const Buffer& buffer = *arguments->buffer;
  RequireAlive(&buffer);
  const auto& bytes = buffer.value->bytes;
  const auto size = static_cast<size_t>(arguments->transfer_size);
  const auto offset = static_cast<size_t>(arguments->offset);
  if (bytes && offset + size <= bytes->size()) {
    std::memcpy(arguments->destination, bytes->data() + offset, size);
  } else {
    FillUnknown(buffer.type->element, std::nullopt, arguments->destination, size);
    RecordUnknownRead({Describe(*buffer.type), buffer.maker->name, PythonLine(),
                       "its bytes on the device are not modelled", "",
                       DescribeUnknown(buffer.type->element, std::nullopt)});
  }
  arguments->event = ReadyEvent();
  return nullptr;
}

}  // namespace

std::vector<Override> TransferOverrides() {
  return {
      SLICE_OVERRIDE(Client_BufferFromHostBuffer), SLICE_OVERRIDE(Client_CreateUninitializedBuffer),
      SLICE_OVERRIDE(Client_CreateErrorBuffer),    SLICE_OVERRIDE(Client_CreateViewOfDeviceBuffer),
      SLICE_OVERRIDE(Client_CreateAliasBuffer),    SLICE_OVERRIDE(Client_FulfillAliasBuffer),
      SLICE_OVERRIDE(Buffer_CopyToDevice),         SLICE_OVERRIDE(Buffer_CopyToMemory),
      SLICE_OVERRIDE(Buffer_ToHostBuffer),         SLICE_OVERRIDE(Buffer_CopyRawToHost),
  };
}

}  // namespace slice
