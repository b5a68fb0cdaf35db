/** How one field differs from what its type in the .proto file says. Each is a choice for speed. */
export interface FieldForm {
  /** Name of the property, if it is not the field's. */
  readonly property?: string;
  /**
   * How the field is read. `interned`: a text of few values, one string each. `offsets`: repeated texts that stay bytes;
   * the property lists where each begins and ends in the property `bytes`. `base64url`: bytes as text. `reported`: a
   * ServerPayload as `ReportedPayload`, which reads itself.
   */
  readonly read?: 'interned' | 'offsets' | 'base64url' | 'reported';
  /** How the field is written. `written`: its message comes as bytes. `payload`: by `writePayload`. */
  readonly write?: 'written' | 'payload';
}

/** One generated file. */
export interface CodecFile {
  readonly file: string;
  /** Messages that get a function `decode...`, which reads them and all they contain. */
  readonly decode: readonly string[];
  /** Messages that get a function `encode...`, which writes them and all they contain. */
  readonly encode: readonly string[];
  /** Messages that get a function `write...`, which writes them as a field of another message. */
  readonly write: readonly string[];
  /** Messages whose field numbers become a constant, for those that write them piece by piece. */
  readonly numbers: readonly string[];
}

/** The messages that come by the thousands a second; proto-loader reads and writes the others. */
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

/** Names of the generated types that differ from the message's. */
export const typeNames: Readonly<Record<string, string>> = {
  'gsq.v1.ServerGroup': 'AddressGroup',
  'gsq.v1.FetchServersRequest': 'FetchRequest',
};

/** By full name of the field. */
export const fieldForms: Readonly<Record<string, FieldForm>> = {
  'gsq.v1.FetchServersRequest.servers': { property: 'groups' },
  'gsq.v1.ServerGroup.servers': { property: 'spans', read: 'offsets' },
  'gsq.v1.FetchCall.fetch': { write: 'written' },
  'gsq.v1.RenderedFetch.tag': { read: 'base64url' },
  'gsq.v1.Lease.game_id': { read: 'interned' },
  'gsq.v1.Lease.protocol': { read: 'interned' },
  'gsq.v1.Lease.gamedig_id': { read: 'interned' },
  'gsq.v1.StatusReport.payload': { read: 'reported', write: 'payload' },
  // As proto-loader calls it.
  'google.protobuf.Any.type_url': { property: 'type_url' },
};
