import type { ByteWriter } from '../../proto/codec/byte-writer.ts';

/** Length of the prefix of a gRPC message, in bytes. */
const PREFIX_BYTES = 5;

/**
 * An encoded message with its gRPC prefix: one byte for the compression, and the length in four bytes. grpc-js sends
 * such a message without copying it into a new buffer.
 *
 * Source: Length-Prefixed-Message in https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export class LengthPrefixed {
  readonly bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Empties a writer and reserves the space of the gRPC prefix of a message. The caller then appends the message. */
  static begin(writer: ByteWriter): void {
    writer.length = 0;
    writer.room(PREFIX_BYTES);
    writer.length = PREFIX_BYTES;
  }

  /** Returns true if the message in a writer is empty. `begin` must have been called on the writer. */
  static isEmpty(writer: ByteWriter): boolean {
    return writer.length === PREFIX_BYTES;
  }

  /** Returns the message that was written since `begin`, and begins the next message in the same writer. */
  static take(writer: ByteWriter): LengthPrefixed {
    const bytes = writer.takeBytes();
    bytes[0] = 0;
    bytes.writeUInt32BE(bytes.length - PREFIX_BYTES, 1);
    LengthPrefixed.begin(writer);
    return new LengthPrefixed(bytes);
  }
}
