// Original file: gsq/v1/server.proto

import type { GameSummary as _gsq_v1_GameSummary, GameSummary__Output as _gsq_v1_GameSummary__Output } from '../../gsq/v1/GameSummary.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetSummaryResponse {
  'servers'?: (number);
  'online'?: (number);
  /**
   * Number of players on the servers that are online.
   */
  'players'?: (number | string | Long);
  /**
   * The numbers of servers, of online servers and of players for each game with tracked servers, the game with most
   * players first.
   */
  'games'?: (_gsq_v1_GameSummary)[];
}

export interface GetSummaryResponse__Output {
  'servers': (number);
  'online': (number);
  /**
   * Number of players on the servers that are online.
   */
  'players': (number);
  /**
   * The numbers of servers, of online servers and of players for each game with tracked servers, the game with most
   * players first.
   */
  'games': (_gsq_v1_GameSummary__Output)[];
}
