/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Lets the kernel count the running time of programs while a command runs: stats COMMAND ... */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	union bpf_attr attr;
	int status;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	if (argc < 2 || syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr)) < 0) {
		perror("stats");
		return 4;
	}
	if (fork() == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	wait(&status);
	return WEXITSTATUS(status);
}
