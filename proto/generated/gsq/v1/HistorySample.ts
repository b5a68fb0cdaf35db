// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface HistorySample {
  /**
   * Time at which the time step of this sample begins.
   */
  'at'?: (_google_protobuf_Timestamp | null);
  /**
   * Mean number of players in the time step while the server was online; absent if unknown.
   */
  'playersMean'?: (number | string);
  /**
   * Highest number of players in the time step; absent if unknown.
   */
  'playersMax'?: (number);
  /**
   * Share of the time step in which the server was online, from 0 to 1; absent if unknown. Times for which gsq does not
   * know the status do not count.
   */
  'onlineShare'?: (number | string);
  /**
   * Share of the time step for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare'?: (number | string);
  '_playersMean'?: "playersMean";
  '_playersMax'?: "playersMax";
  '_onlineShare'?: "onlineShare";
}

export interface HistorySample__Output {
  /**
   * Time at which the time step of this sample begins.
   */
  'at': (_google_protobuf_Timestamp__Output | null);
  /**
   * Mean number of players in the time step while the server was online; absent if unknown.
   */
  'playersMean'?: (number);
  /**
   * Highest number of players in the time step; absent if unknown.
   */
  'playersMax'?: (number);
  /**
   * Share of the time step in which the server was online, from 0 to 1; absent if unknown. Times for which gsq does not
   * know the status do not count.
   */
  'onlineShare'?: (number);
  /**
   * Share of the time step for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare': (number);
  '_playersMean'?: "playersMean";
  '_playersMax'?: "playersMax";
  '_onlineShare'?: "onlineShare";
}
