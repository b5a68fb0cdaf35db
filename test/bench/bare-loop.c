/*
 * Measures the lower bound of the CPU cost of a query: `bare-loop <in flight> <sweeps>`. A loop of sendmmsg and
 * recvmmsg queries each A2S server of a list, repeats the request with the challenge of the server, and parses no other
 * part of the replies. Stdin has one line with address and port for each server. After each sweep over all servers, the
 * program prints one line with the CPU microseconds for each server.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BATCH 64
#define SERVERS 100000
#define LOST_MS 2000

static const char question[25] = "\xff\xff\xff\xffTSource Engine Query";
static struct sockaddr_in servers[SERVERS];
static struct sockaddr_in to[BATCH], from[BATCH];
static struct mmsghdr outgoing[BATCH], incoming[BATCH];
static struct iovec written[BATCH], received[BATCH];
static char packets[BATCH][sizeof question + 4], replies[BATCH][2048];
static int udp, waiting;

static double cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void flush(void) {
  for (int at = 0; at < waiting;) {
    int sent = sendmmsg(udp, outgoing + at, waiting - at, 0);
    struct pollfd room = {udp, POLLOUT, 0};
    if (sent > 0) at += sent;
    else poll(&room, 1, LOST_MS);
  }
  waiting = 0;
}

static void ask(const struct sockaddr_in *server, const char *challenge) {
  memcpy(packets[waiting], question, sizeof question);
  if (challenge) memcpy(packets[waiting] + sizeof question, challenge, 4);
  written[waiting].iov_len = sizeof question + (challenge ? 4 : 0);
  to[waiting] = *server;
  if (++waiting == BATCH) flush();
}

static void sweep(int count, int in_flight) {
  int next = 0, done = 0;
  while (next < count && next < in_flight) ask(&servers[next++], NULL);
  flush();
  while (done < count) {
    struct pollfd more = {udp, POLLIN, 0};
    if (poll(&more, 1, LOST_MS) == 0) {
      fprintf(stderr, "%d of %d servers did not answer\n", count - done, count);
      exit(1);
    }
    for (int got = BATCH; got == BATCH; flush()) {
      got = recvmmsg(udp, incoming, BATCH, MSG_DONTWAIT, NULL);
      for (int i = 0; i < got; i++) {
        incoming[i].msg_hdr.msg_namelen = sizeof from[i];
        if (replies[i][4] == 'A') {
          ask(&from[i], replies[i] + 5);
          continue;
        }
        done++;
        if (next < count) ask(&servers[next++], NULL);
      }
    }
  }
}

int main(int arguments, char **argument) {
  if (arguments != 3) return 2;
  char address[64];
  int count = 0, port;
  for (; count < SERVERS && scanf("%63s %d", address, &port) == 2; count++) {
    servers[count].sin_family = AF_INET;
    servers[count].sin_port = htons(port);
    inet_pton(AF_INET, address, &servers[count].sin_addr);
  }
  udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  int bytes = 4 << 20;
  if (setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes))
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  for (int i = 0; i < BATCH; i++) {
    written[i].iov_base = packets[i];
    received[i] = (struct iovec){replies[i], sizeof replies[i]};
    outgoing[i].msg_hdr = (struct msghdr){
        .msg_name = &to[i], .msg_namelen = sizeof to[i], .msg_iov = &written[i], .msg_iovlen = 1};
    incoming[i].msg_hdr = (struct msghdr){
        .msg_name = &from[i], .msg_namelen = sizeof from[i], .msg_iov = &received[i], .msg_iovlen = 1};
  }
  for (int left = atoi(argument[2]); left > 0; left--) {
    double before = cpu();
    sweep(count, atoi(argument[1]));
    printf("%.2f\n", (cpu() - before) / count);
  }
}
