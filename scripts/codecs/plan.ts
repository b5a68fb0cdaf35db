/** Differences between a field's generated code and its type in the .proto file. Each exists for speed. */
export interface FieldForm {
  /** Property name, if it differs from the field name. */
  readonly property?: string;
  /**
   * How the field is decoded. `interned`: a string of few different values; each value is stored once.
   * `offsets`: repeated strings stay bytes, and the property lists their start and end offsets in the
   * property `bytes`. `base64url`: bytes become a base64url string. `reported`: a ServerPayload becomes a
   * `ReportedPayload`.
   */
  readonly read?: 'interned' | 'offsets' | 'base64url' | 'reported';
  /**
   * How the field is encoded. `written`: the value is a message that is already encoded. `payload`: the
   * function `writePayload` encodes the value.
   */
  readonly write?: 'written' | 'payload';
}

/** One generated file with its functions and constants. */
export interface CodecFile {
  readonly file: string;
  /** Messages with a function `decode...`, which decodes a whole message. */
  readonly decode: readonly string[];
  /** Messages with a function `encode...`, which encodes a whole message. */
  readonly encode: readonly string[];
  /** Messages with a function `write...`, which encodes the message as a field of another message. */
  readonly write: readonly string[];
  /** Messages with a constant of field numbers, for code that encodes the message field by field. */
  readonly numbers: readonly string[];
}

/**
 * Messages with generated codecs, because thousands of them are sent each second; proto-loader handles all
 * others.
 */
export const codecFiles: readonly CodecFile[] = [
  {
    file: 'fetch.ts',
    decode: ['gsq.v1.FetchServersRequest', 'gsq.v1.FetchStreamRequest', 'gsq.v1.FetchStreamResponse'],
    encode: [],
    write: ['gsq.v1.ServerGroup', 'gsq.v1.FetchCall', 'gsq.v1.Allowance'],
    numbers: [
      'gsq.v1.FetchServersRequest',
      'gsq.v1.FetchStreamRequest',
      'gsq.v1.FetchStreamResponse',
      'gsq.v1.FetchReply',
      'gsq.v1.RenderedFetch',
    ],
  },
  {
    file: 'probe.ts',
    decode: ['gsq.v1.SessionRequest', 'gsq.v1.SessionResponse'],
    encode: ['gsq.v1.SessionRequest', 'gsq.v1.SessionResponse'],
    write: [],
    numbers: [],
  },
];

/** Names of the generated types that differ from the message name, by full message name. */
export const typeNames: Readonly<Record<string, string>> = {
  'gsq.v1.ServerGroup': 'AddressGroup',
  'gsq.v1.FetchServersRequest': 'FetchRequest',
};

/** Field forms by the full name of the field. */
export const fieldForms: Readonly<Record<string, FieldForm>> = {
  'gsq.v1.FetchServersRequest.servers': { property: 'groups' },
  'gsq.v1.ServerGroup.servers': { property: 'spans', read: 'offsets' },
  'gsq.v1.FetchCall.fetch': { write: 'written' },
  'gsq.v1.RenderedFetch.tag': { read: 'base64url' },
  'gsq.v1.Lease.game_id': { read: 'interned' },
  'gsq.v1.Lease.protocol': { read: 'interned' },
  'gsq.v1.Lease.gamedig_id': { read: 'interned' },
  'gsq.v1.StatusReport.payload': { read: 'reported', write: 'payload' },
  // proto-loader's name of the property.
  'google.protobuf.Any.type_url': { property: 'type_url' },
};
