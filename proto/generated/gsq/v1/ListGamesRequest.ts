// Original file: gsq/v1/game.proto


export interface ListGamesRequest {
}

export interface ListGamesRequest__Output {
}
