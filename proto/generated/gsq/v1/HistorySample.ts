// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface HistorySample {
  /**
   * Begin of the step.
   */
  'at'?: (_google_protobuf_Timestamp | null);
  /**
   * Mean number of players while the server was online; absent if unknown.
   */
  'playersMean'?: (number | string);
  /**
   * Highest number of players during the step; absent if unknown.
   */
  'playersMax'?: (number);
  /**
   * Share of the known time in which the server was online, from 0 to 1; absent if the whole step is unknown.
   */
  'onlineShare'?: (number | string);
  /**
   * Share of the step for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare'?: (number | string);
  '_playersMean'?: "playersMean";
  '_playersMax'?: "playersMax";
  '_onlineShare'?: "onlineShare";
}

export interface HistorySample__Output {
  /**
   * Begin of the step.
   */
  'at': (_google_protobuf_Timestamp__Output | null);
  /**
   * Mean number of players while the server was online; absent if unknown.
   */
  'playersMean'?: (number);
  /**
   * Highest number of players during the step; absent if unknown.
   */
  'playersMax'?: (number);
  /**
   * Share of the known time in which the server was online, from 0 to 1; absent if the whole step is unknown.
   */
  'onlineShare'?: (number);
  /**
   * Share of the step for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare': (number);
  '_playersMean'?: "playersMean";
  '_playersMax'?: "playersMax";
  '_onlineShare'?: "onlineShare";
}
