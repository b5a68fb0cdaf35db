/*
 * Plays game servers at one port of many IPv4 addresses, each in a /24 of its own, and takes as little of the machine as
 * can be: `bare-crowd <port>`. On stdin a line for each server: its address, then in hexadecimal its reply to whatever
 * it is asked, or, of A2S, to a question without the challenge, to A2S_INFO with it, and to A2S_PLAYER with it; these
 * two are `-` of others. Where a reply has `_` it repeats what the question says behind its first space. Writes a line
 * once it listens, and ends when nobody reads its stdout any more.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define NETWORKS 0x10000
#define HEX 4096
/* Where an A2S question says what it is, and how long it is without its challenge. */
#define KIND 4
#define INFO 25
#define PLAYER 5
#define CHALLENGE 4

struct reply {
  char *bytes;
  size_t length;
  /* Where it repeats the question; as long as it is where it does not. */
  size_t repeats_at;
};
static struct server {
  struct reply first, info, player;
  /* When the players' times were last told. */
  time_t told;
} servers[NETWORKS];
static time_t started;

static struct sockaddr_in callers[BATCH];
static struct mmsghdr incoming[BATCH], outgoing[BATCH];
static struct iovec received[BATCH], written[BATCH][3];
static char questions[BATCH][64];
static char controls[BATCH][CMSG_SPACE(sizeof(struct in_pktinfo))] __attribute__((aligned(8)));

static unsigned network_of(struct in_addr address) { return ntohl(address.s_addr) >> 8 & (NETWORKS - 1); }

static int digit(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

static struct reply read_reply(const char *hex) {
  const char *mark = strchr(hex, '_');
  struct reply reply = {malloc(strlen(hex)), strlen(hex) / 2, 0};
  reply.repeats_at = mark ? (size_t)(mark - hex) / 2 : reply.length;
  for (size_t i = 0; i < reply.length; i++) {
    const char *byte = hex + 2 * i + (mark && i >= reply.repeats_at);
    reply.bytes[i] = digit(byte[0]) << 4 | digit(byte[1]);
  }
  return reply;
}

/* Players have been on for as much longer as has passed since they were told of. */
static void let_time_pass(struct server *server, time_t now) {
  float passed = now - (server->told ? server->told : started), time;
  server->told = now;
  if (passed == 0) return;
  char *at = server->player.bytes + PLAYER + 1, *end = server->player.bytes + server->player.length;
  while (at < end) {
    at += 1 + strlen(at + 1) + 1 + 4;
    memcpy(&time, at, sizeof time);
    time += passed;
    memcpy(at, &time, sizeof time);
    at += sizeof time;
  }
}

/* The reply to a question, of the server it came to; none where there is no server. */
static struct reply *answer(struct server *server, const char *question, size_t length) {
  if (!server->first.bytes) return NULL;
  size_t plain = question[KIND] == 'T' ? INFO : PLAYER;
  if (!server->info.length || length < plain + CHALLENGE ||
      memcmp(question + plain, server->first.bytes + PLAYER, CHALLENGE))
    return &server->first;
  if (question[KIND] == 'T') return &server->info;
  let_time_pass(server, time(NULL));
  return &server->player;
}

/* What a reply is made of: its beginning, what it repeats, its end. */
static void write_reply(struct iovec *parts, const struct reply *reply, char *question, size_t length) {
  char *space = memchr(question, ' ', length);
  char *said = space ? space + 1 : question + length;
  parts[0] = (struct iovec){reply->bytes, reply->repeats_at};
  parts[1] = (struct iovec){said, reply->repeats_at < reply->length ? question + length - said : 0};
  parts[2] = (struct iovec){reply->bytes + reply->repeats_at, reply->length - reply->repeats_at};
}

int main(int arguments, char **argument) {
  if (arguments != 2) return 2;
  started = time(NULL);
  static char address[64], first[HEX], info[HEX], player[HEX];
  while (scanf("%63s %4095s %4095s %4095s", address, first, info, player) == 4) {
    struct in_addr where;
    inet_pton(AF_INET, address, &where);
    servers[network_of(where)] = (struct server){read_reply(first), read_reply(info), read_reply(player), 0};
  }
  int udp = socket(AF_INET, SOCK_DGRAM, 0), on = 1, bytes = 8 << 20;
  struct sockaddr_in all = {.sin_family = AF_INET, .sin_port = htons(atoi(argument[1]))};
  setsockopt(udp, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes))
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (bind(udp, (struct sockaddr *)&all, sizeof all)) {
    perror("bind");
    return 1;
  }
  puts("listening");
  fflush(stdout);
  for (int i = 0; i < BATCH; i++) {
    received[i] = (struct iovec){questions[i], sizeof questions[i]};
    incoming[i].msg_hdr = (struct msghdr){
        .msg_name = &callers[i], .msg_iov = &received[i], .msg_iovlen = 1, .msg_control = controls[i]};
  }
  for (;;) {
    struct pollfd more[] = {{udp, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    poll(more, 2, -1);
    if (more[1].revents & POLLERR) return 0;
    for (int i = 0; i < BATCH; i++) {
      incoming[i].msg_hdr.msg_namelen = sizeof callers[i];
      incoming[i].msg_hdr.msg_controllen = sizeof controls[i];
    }
    int got = recvmmsg(udp, incoming, BATCH, MSG_DONTWAIT, NULL), ready = 0;
    for (int i = 0; i < got; i++) {
      struct msghdr *message = &incoming[i].msg_hdr;
      struct cmsghdr *control = CMSG_FIRSTHDR(message);
      if (!control) continue;
      struct in_pktinfo *came = (struct in_pktinfo *)CMSG_DATA(control);
      struct reply *reply = answer(&servers[network_of(came->ipi_addr)], questions[i], incoming[i].msg_len);
      if (!reply) continue;
      /* From the address that was asked, by whatever interface leads to who asked. */
      came->ipi_spec_dst = came->ipi_addr;
      came->ipi_ifindex = 0;
      write_reply(written[ready], reply, questions[i], incoming[i].msg_len);
      outgoing[ready].msg_hdr = *message;
      outgoing[ready].msg_hdr.msg_iov = written[ready];
      outgoing[ready].msg_hdr.msg_iovlen = 3;
      ready++;
    }
    for (int at = 0; at < ready;) {
      int sent = sendmmsg(udp, outgoing + at, ready - at, 0);
      /* One that cannot be sent is lost, as on any network. */
      at += sent > 0 ? sent : 1;
    }
  }
}
