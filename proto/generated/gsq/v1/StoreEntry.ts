// Original file: gsq/v1/cluster.proto


export interface StoreEntry {
  'key'?: (string);
  'value'?: (Buffer | Uint8Array | string);
}

export interface StoreEntry__Output {
  'key': (string);
  'value': (Buffer);
}
