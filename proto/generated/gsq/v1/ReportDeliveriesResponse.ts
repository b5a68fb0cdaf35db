// Original file: gsq/v1/notify.proto


export interface ReportDeliveriesResponse {
}

export interface ReportDeliveriesResponse__Output {
}
