// Original file: gsq/v1/admin.proto


export interface GetTokenRequest {
  'id'?: (string);
}

export interface GetTokenRequest__Output {
  'id': (string);
}
