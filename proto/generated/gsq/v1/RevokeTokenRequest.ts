// Original file: gsq/v1/admin.proto


export interface RevokeTokenRequest {
  'id'?: (string);
}

export interface RevokeTokenRequest__Output {
  'id': (string);
}
