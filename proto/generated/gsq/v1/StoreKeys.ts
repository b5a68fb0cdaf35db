// Original file: gsq/v1/cluster.proto


export interface StoreKeys {
  'keys'?: (string)[];
}

export interface StoreKeys__Output {
  'keys': (string)[];
}
