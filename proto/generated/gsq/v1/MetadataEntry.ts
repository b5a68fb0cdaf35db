// Original file: gsq/v1/cluster.proto


export interface MetadataEntry {
  'key'?: (string);
  'value'?: (string);
}

export interface MetadataEntry__Output {
  'key': (string);
  'value': (string);
}
