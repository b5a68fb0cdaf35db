// Original file: gsq/v1/webhook.proto


export interface ListDeliveriesRequest {
  'id'?: (string);
}

export interface ListDeliveriesRequest__Output {
  'id': (string);
}
