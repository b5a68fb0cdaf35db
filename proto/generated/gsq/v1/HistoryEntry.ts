// Original file: gsq/v1/cluster.proto


export interface HistoryEntry {
  'key'?: (Buffer | Uint8Array | string);
  'value'?: (Buffer | Uint8Array | string);
}

export interface HistoryEntry__Output {
  'key': (Buffer);
  'value': (Buffer);
}
