/*
 * Simulates many game servers on one port, with as little CPU as possible: `bare-crowd <port>`. Each server has an IPv4
 * address in a /24 network of its own.
 *
 * Stdin has one line for each server: its address and three replies in hexadecimal. The three replies of an A2S server
 * are the reply to a request without a challenge, the reply to A2S_INFO, and the reply to A2S_PLAYER. A server of
 * another protocol has one reply to all requests, and `-` in place of the other two replies. A `_` in a reply stands
 * for the text of the request after its first space. The program prints one line when the socket is open. It ends when
 * its stdout has no reader any more.
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
/*
 * KIND is the offset of the type byte in an A2S request. INFO and PLAYER are the lengths of an info request and of a
 * player request without a challenge. CHALLENGE is the length of a challenge.
 */
#define KIND 4
#define INFO 25
#define PLAYER 5
#define CHALLENGE 4

struct reply {
  char *bytes;
  size_t length;
  /* Offset in the reply at which text of the request is inserted; the length of the reply if no text is inserted. */
  size_t repeats_at;
};
static struct server {
  struct reply first, info, player;
  /* Time at which the connection times of the players in the reply were last updated. */
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

/* Adds the time since the last update to the connection time of each player in a server's reply. */
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

/* Returns the reply of a server to a request, or NULL if no server has the address of the request. */
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

/* Splits a reply into three segments: its start, the text of the request that it repeats, and its end. */
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
      /* Sends the reply from the address that received the request. The kernel chooses the network interface. */
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
      /* Skips a packet that the kernel cannot send. Such a packet counts as lost. */
      at += sent > 0 ? sent : 1;
    }
  }
}
