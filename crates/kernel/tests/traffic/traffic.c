/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Real TCP connections over a bad path, in a network namespace that vanishes with this process.
 *
 *   traffic CONTROLLER FLOWS SECONDS MBIT DELAY_MS BUFFER LOSS REORDER COMPRESS_MS OUTAGE_MS [FILE]
 *
 * LOSS and REORDER count packets in ten thousand; ACKs leave in bursts every COMPRESS_MS; each
 * two seconds nothing passes for OUTAGE_MS. With FILE, the namespace waits until FILE exists before
 * it sends, and prints "ready" when it waits. Prints the bytes delivered so far, every 100 ms and at
 * the end, which SIGTERM brings before its time. TRAFFIC_MSS in the environment makes segments
 * smaller, for many events in little time.
 *
 * The path is a TUN device at 10.77.0.1. A packet to 10.77.0.2 comes back with its addresses
 * exchanged, so that the host talks to itself over the path and no checksum changes. Data and ACKs
 * are told apart by size.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 5999
#define SLOTS (1 << 16)
#define PACKET 2048
#define ACK_SIZE 128
#define MS 1000000LL
#define SECOND 1000000000LL

struct packet {
	int64_t due;
	int size;
	unsigned char bytes[PACKET];
};

struct path {
	double bits_per_ns;
	int64_t delay, compress, outage;
	int buffer, loss, reorder;
	int64_t busy_until;
};

static volatile sig_atomic_t ended;
static struct packet *slots;
static int heap[SLOTS], used, spare[SLOTS], spares;

static void die(const char *what)
{
	fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void end_now(int signal)
{
	(void)signal;
	ended = 1;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static int chance(int in_ten_thousand)
{
	static uint64_t seed = 88172645463325252ULL;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % 10000 < (uint64_t)in_ten_thousand;
}

static void swap(int a, int b)
{
	int t = heap[a];

	heap[a] = heap[b];
	heap[b] = t;
}

static void push(int slot)
{
	int at = used++;

	for (heap[at] = slot; at && slots[heap[at]].due < slots[heap[(at - 1) / 2]].due;
	     at = (at - 1) / 2)
		swap(at, (at - 1) / 2);
}

static int pop(void)
{
	int top = heap[0], at = 0;

	heap[0] = heap[--used];
	for (;;) {
		int least = at;

		for (int child = 2 * at + 1; child <= 2 * at + 2 && child < used; child++)
			if (slots[heap[child]].due < slots[heap[least]].due)
				least = child;
		if (least == at)
			return top;
		swap(at, least);
		at = least;
	}
}

/* When the packet arrives; 0 if it does not. */
static int64_t fate(struct path *p, int size, int64_t t)
{
	int64_t due;

	if (p->outage && t % (2 * SECOND) < p->outage)
		return 0;
	if (size < ACK_SIZE) {
		due = t + p->delay;
		return p->compress ? (due / p->compress + 1) * p->compress : due;
	}
	if (chance(p->loss))
		return 0;
	if (p->busy_until < t)
		p->busy_until = t;
	if ((p->busy_until - t) * p->bits_per_ns > p->buffer * 1500 * 8.0)
		return 0;
	p->busy_until += size * 8 / p->bits_per_ns;
	due = p->busy_until + p->delay;
	return chance(p->reorder) ? due + p->delay / 2 + 2 * MS : due;
}

static void exchange_addresses(unsigned char *ip)
{
	unsigned char source[4];

	memcpy(source, ip + 12, 4);
	memcpy(ip + 12, ip + 16, 4);
	memcpy(ip + 16, source, 4);
}

static void take(int tun, struct path *p)
{
	while (spares) {
		int slot = spare[spares - 1];
		struct packet *it = &slots[slot];

		it->size = read(tun, it->bytes, PACKET);
		if (it->size < 20)
			return;
		if (it->bytes[0] >> 4 != 4)
			continue;
		it->due = fate(p, it->size, now());
		if (!it->due)
			continue;
		exchange_addresses(it->bytes);
		spares--;
		push(slot);
	}
}

static void forward(int tun, struct path *p)
{
	for (;;) {
		struct pollfd ready = { tun, POLLIN, 0 };
		int64_t wait = used ? slots[heap[0]].due - now() : SECOND;
		struct timespec t = { wait > 0 ? wait / SECOND : 0, wait > 0 ? wait % SECOND : 0 };

		ppoll(&ready, 1, &t, NULL);
		take(tun, p);
		while (used && slots[heap[0]].due <= now()) {
			int slot = pop();

			if (write(tun, slots[slot].bytes, slots[slot].size) < 0 && errno != EAGAIN)
				die("write to the TUN device");
			spare[spares++] = slot;
		}
	}
}

static void address(int s, struct ifreq *r, unsigned long request, const char *ip)
{
	struct sockaddr_in *a = (struct sockaddr_in *)&r->ifr_addr;

	memset(a, 0, sizeof(*a));
	a->sin_family = AF_INET;
	inet_pton(AF_INET, ip, &a->sin_addr);
	if (ioctl(s, request, r))
		die("address of the TUN device");
}

static int make_path(void)
{
	int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK), s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = {};

	if (tun < 0)
		die("/dev/net/tun");
	strcpy(r.ifr_name, "path0");
	r.ifr_flags = IFF_TUN | IFF_NO_PI;
	if (ioctl(tun, TUNSETIFF, &r))
		die("TUN device");
	address(s, &r, SIOCSIFADDR, "10.77.0.1");
	address(s, &r, SIOCSIFNETMASK, "255.255.255.0");
	r.ifr_qlen = 10000;
	ioctl(s, SIOCSIFTXQLEN, &r);
	r.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(s, SIOCSIFFLAGS, &r))
		die("TUN device up");
	close(s);
	return tun;
}

static int listener(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 256))
		die("listen");
	return s;
}

static int sender(const char *controller)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, "10.77.0.2", &a.sin_addr);
	if (getenv("TRAFFIC_MSS")) {
		int mss = atoi(getenv("TRAFFIC_MSS"));

		setsockopt(s, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	}
	if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, controller, strlen(controller)))
		die(controller);
	if (connect(s, (struct sockaddr *)&a, sizeof(a)))
		die("connect");
	fcntl(s, F_SETFL, O_NONBLOCK);
	return s;
}

static void tell(uint64_t received)
{
	printf("%llu\n", (unsigned long long)received);
	fflush(stdout);
}

/* Sends on every flow and receives until the time is over or it is told to end; the bytes received. */
static uint64_t transfer(const char *controller, int flows, int64_t span)
{
	static char bytes[1 << 16];
	struct pollfd *p = calloc(2 * flows + 1, sizeof(*p));
	int64_t end = now() + span, told = now();
	int n = flows + 1, broken = 0;
	uint64_t received = 0;

	p[flows] = (struct pollfd){ listener(), POLLIN, 0 };
	for (int i = 0; i < flows; i++)
		p[i] = (struct pollfd){ sender(controller), POLLOUT, 0 };
	while (now() < end && !ended) {
		poll(p, n, 100);
		if (now() >= told + 100 * MS) {
			told = now();
			tell(received);
		}
		for (int i = 0; i < flows; i++) {
			if (p[i].revents & (POLLERR | POLLHUP))
				broken = 1;
			else if (p[i].revents & POLLOUT)
				send(p[i].fd, bytes, sizeof(bytes), MSG_NOSIGNAL);
		}
		if (p[flows].revents & POLLIN && n < 2 * flows + 1) {
			int c = accept4(p[flows].fd, NULL, NULL, SOCK_NONBLOCK);

			if (c >= 0)
				p[n++] = (struct pollfd){ c, POLLIN, 0 };
		}
		for (int i = flows + 1; i < n; i++) {
			ssize_t got;

			while ((got = recv(p[i].fd, bytes, sizeof(bytes), 0)) > 0)
				received += got;
		}
	}
	if (broken) {
		fprintf(stderr, "traffic: a connection broke\n");
		exit(3);
	}
	/* Resets: closed in the usual way, connections would outlive the path and retransmit. */
	for (int i = 0; i < n; i++) {
		struct linger at_once = { .l_onoff = 1 };

		setsockopt(p[i].fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(p[i].fd);
	}
	return received;
}

int main(int argc, char **argv)
{
	struct path path = {};
	uint64_t received;
	pid_t forwarder;
	int tun;

	if (argc < 11)
		return 2;
	path.bits_per_ns = atof(argv[4]) / 1000;
	path.delay = atof(argv[5]) * MS / 2;
	path.buffer = atoi(argv[6]);
	path.loss = atoi(argv[7]);
	path.reorder = atoi(argv[8]);
	path.compress = atof(argv[9]) * MS;
	path.outage = atof(argv[10]) * MS;
	signal(SIGTERM, end_now);
	if (unshare(CLONE_NEWNET))
		die("network namespace");
	tun = make_path();
	slots = calloc(SLOTS, sizeof(*slots));
	for (spares = 0; spares < SLOTS; spares++)
		spare[spares] = spares;
	forwarder = fork();
	if (forwarder == 0)
		forward(tun, &path);
	if (argc > 11) {
		printf("ready\n");
		fflush(stdout);
		while (access(argv[11], F_OK))
			usleep(10000);
	}
	received = transfer(argv[1], atoi(argv[2]), atof(argv[3]) * SECOND);
	kill(forwarder, 9);
	waitpid(forwarder, NULL, 0);
	tell(received);
	return 0;
}
