// Original file: gsq/v1/webhook.proto


export interface ReportDeliveriesResponse {
}

export interface ReportDeliveriesResponse__Output {
}
