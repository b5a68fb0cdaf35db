// Original file: gsq/v1/server.proto

import type { Long } from '@grpc/proto-loader';

export interface GameSummary {
  'gameId'?: (string);
  'servers'?: (number);
  'online'?: (number);
  'players'?: (number | string | Long);
}

export interface GameSummary__Output {
  'gameId': (string);
  'servers': (number);
  'online': (number);
  'players': (number);
}
