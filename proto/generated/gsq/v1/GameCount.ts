// Original file: gsq/v1/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface GameCount {
  'gameId'?: (string);
  'servers'?: (number | string | Long);
}

export interface GameCount__Output {
  'gameId': (string);
  'servers': (number);
}
