<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Content-Type: application/json',
        'X-API-Token: ' . getenv('GSQ_TOKEN'),
        'X-API-Token-Type: FREE',
        'X-API-Token-Email: ' . getenv('GSQ_EMAIL'),
        'Prefer: wait=3',
        'Accept-Encoding: identity',
    ],
    'content' => json_encode(['servers' => [['game_id' => 'counterstrike2', 'servers' => ['127.0.1.1:27515']]]]),
    'ignore_errors' => true,
]]);
$answer = json_decode(file_get_contents(getenv('GSQ_URL') . '/v1/post/fetch', false, $context), true);
if (isset($answer['error'])) {
    exit($answer['message'] . "\n");
}
$server = $answer['127.0.1.1:27515'];
echo $server['name'] ?? $server['message'], ' ', $server['players'] ?? '', "\n";
