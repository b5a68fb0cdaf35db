// Original file: gsq/v1/server.proto


export interface WatchServersJsonRequest {
  /**
   * Servers to follow, each as `game_id/address`, at most 1000. Exactly one of `server` and `game` is set.
   */
  'server'?: (string)[];
  /**
   * Id or alias of a game. The stream then follows all tracked servers of the game that the caller can see.
   */
  'game'?: (string);
  /**
   * `id` of the last line that the caller has received. The stream then continues after this line, as with
   * `resume_token` in WatchServersRequest.
   */
  'resumeToken'?: (string);
}

export interface WatchServersJsonRequest__Output {
  /**
   * Servers to follow, each as `game_id/address`, at most 1000. Exactly one of `server` and `game` is set.
   */
  'server': (string)[];
  /**
   * Id or alias of a game. The stream then follows all tracked servers of the game that the caller can see.
   */
  'game': (string);
  /**
   * `id` of the last line that the caller has received. The stream then continues after this line, as with
   * `resume_token` in WatchServersRequest.
   */
  'resumeToken': (string);
}
