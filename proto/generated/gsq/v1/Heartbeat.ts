// Original file: gsq/v1/server.proto


export interface Heartbeat {
}

export interface Heartbeat__Output {
}
