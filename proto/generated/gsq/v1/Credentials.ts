// Original file: gsq/v1/server.proto


export interface Credentials {
  'token'?: (string);
  'tier'?: (string);
  'email'?: (string);
}

export interface Credentials__Output {
  'token': (string);
  'tier': (string);
  'email': (string);
}
