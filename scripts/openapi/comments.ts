import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** Numbers of the fields `message_type`, `service`, `field` and `method` in descriptor.proto. */
const PATH = { message: 4, service: 6, field: 2, method: 2 };

/**
 * Returns the comment of a message in its proto file as one line. Returns an empty text if the message has no comment.
 */
export function commentOfMessage(message: DescMessage): string {
  return commentAt(message.file.proto, [PATH.message, message.file.proto.messageType.indexOf(message.proto)]);
}

/** Returns the comment of a message field in its proto file as one line. */
export function commentOfField({ parent, proto }: DescField): string {
  const { file } = parent;
  const message = file.proto.messageType.indexOf(parent.proto);
  return commentAt(file.proto, [PATH.message, message, PATH.field, parent.proto.field.indexOf(proto)]);
}

/** Returns the comment of an RPC method in its proto file as one line. */
export function commentOfMethod({ parent, proto }: DescMethod): string {
  const { file } = parent;
  const service = file.proto.service.indexOf(parent.proto);
  return commentAt(file.proto, [PATH.service, service, PATH.method, parent.proto.method.indexOf(proto)]);
}

function commentAt({ sourceCodeInfo }: FileDescriptorProto, path: readonly number[]): string {
  const location = sourceCodeInfo?.location.find(each => each.path.join() === path.join());
  return (location?.leadingComments ?? '').trim().replaceAll(/\s+/g, ' ');
}
