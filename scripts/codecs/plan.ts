/** Options of the code generator for one message field. Most of them make the generated code faster. */
export interface FieldForm {
  /**
   * Property name of the field in the generated TypeScript type. Absent if the property has the same name as the field.
   */
  readonly property?: string;
  /**
   * How to decode the field, if not in the default way:
   * - `interned`: a string, each different value stored once.
   * - `offsets`: repeated strings, as their start and end in `bytes`.
   * - `base64url`: bytes, as a base64url string.
   * - `reported`: a ServerPayload, as a `ReportedPayload`.
   */
  readonly read?: 'interned' | 'offsets' | 'base64url' | 'reported';
  /**
   * How to encode the field, if not in the default way:
   * - `written`: copies a `ByteWriter` that contains the encoded field.
   * - `payload`: calls `writePayload`.
   */
  readonly write?: 'written' | 'payload';
}

/** Plan of one file of generated protobuf codecs: the messages for which the file contains functions or constants. */
export interface CodecFile {
  readonly file: string;
  /**
   * Names of messages. For each of them, the generated file contains a function `decode...`, which decodes a whole
   * message.
   */
  readonly decode: readonly string[];
  /**
   * Names of messages. For each of them, the generated file contains a function `encode...`, which encodes a whole
   * message.
   */
  readonly encode: readonly string[];
  /**
   * Names of messages that are fields of other messages. For each of them, the generated file contains a function
   * `write...`, which encodes such a field.
   */
  readonly write: readonly string[];
  /**
   * Names of messages. For each, the generated file contains a constant `...Fields` with the field numbers of the
   * message.
   */
  readonly numbers: readonly string[];
}

/**
 * Files of generated codecs. They contain the messages that gsq sends thousands of times a second. proto-loader encodes
 * and decodes all other messages.
 */
export const codecFiles: readonly CodecFile[] = [
  {
    file: 'fetch.ts',
    decode: [
      'gsq.v1.FetchServersRequest',
      'gsq.v1.FetchStreamRequest',
      'gsq.v1.FetchStreamResponse',
      'gsq.v1.RenderServersRequest',
    ],
    encode: [],
    write: ['gsq.v1.ServerGroup', 'gsq.v1.FetchCall', 'gsq.v1.Allowance', 'gsq.v1.CallAccount'],
    numbers: [
      'gsq.v1.FetchServersRequest',
      'gsq.v1.FetchStreamRequest',
      'gsq.v1.FetchCall',
      'gsq.v1.FetchStreamResponse',
      'gsq.v1.FetchReply',
      'gsq.v1.RenderedFetch',
      'gsq.v1.ServerGroup',
      'gsq.v1.RenderServersRequest',
      'gsq.v1.RenderServersResponse',
    ],
  },
  {
    file: 'json.ts',
    decode: ['gsq.v1.JsonStreamRequest', 'gsq.v1.JsonStreamResponse'],
    encode: [],
    write: ['gsq.v1.MetadataEntry'],
    numbers: ['gsq.v1.JsonStreamRequest', 'gsq.v1.JsonCall', 'gsq.v1.JsonStreamResponse', 'gsq.v1.JsonReply'],
  },
  {
    file: 'probe.ts',
    decode: ['gsq.v1.SessionRequest', 'gsq.v1.SessionResponse'],
    encode: ['gsq.v1.SessionRequest', 'gsq.v1.SessionResponse'],
    write: [],
    numbers: [],
  },
];

/** Names of generated types that differ from the name of their message, keyed by the full name of the message. */
export const typeNames: Readonly<Record<string, string>> = {
  'gsq.v1.ServerGroup': 'AddressGroup',
  'gsq.v1.FetchServersRequest': 'FetchRequest',
};

/** Options of the code generator for single fields, keyed by the full name of the field. */
export const fieldForms: Readonly<Record<string, FieldForm>> = {
  'gsq.v1.FetchServersRequest.servers': { property: 'groups' },
  'gsq.v1.RenderServersRequest.servers': { property: 'groups' },
  'gsq.v1.ServerGroup.servers': { property: 'spans', read: 'offsets' },
  'gsq.v1.FetchCall.fetch': { write: 'written' },
  'gsq.v1.RenderedFetch.tag': { read: 'base64url' },
  'gsq.v1.Lease.game_id': { read: 'interned' },
  'gsq.v1.Lease.protocol': { read: 'interned' },
  'gsq.v1.Lease.gamedig_id': { read: 'interned' },
  'gsq.v1.StatusReport.payload': { read: 'reported', write: 'payload' },
  // The types of proto-loader use the name `type_url`. By default, the generated decoder would use `typeUrl`.
  'google.protobuf.Any.type_url': { property: 'type_url' },
};
