// Original file: gsq/v1/cluster.proto


export interface ChargeTokensResponse {
}

export interface ChargeTokensResponse__Output {
}
