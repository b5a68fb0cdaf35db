// Original file: gsq/v1/server.proto


export interface ServerRef {
  'gameId'?: (string);
  'server'?: (string);
}

export interface ServerRef__Output {
  'gameId': (string);
  'server': (string);
}
