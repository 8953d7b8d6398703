# A job for scripts/linux-6.1: each controller is loaded and listened to under live transfers over a
# path that loses, reorders, compresses ACKs and stands still at times.
uname -r
for controller in westwood_2002 westwood_plus westwood_probe log_westwood; do
	westwood kernel load $controller || exit 1
	rm -f /tmp/go /tmp/listener
	traffic $controller 2 5 20 40 60 50 30 6 600 /tmp/go >/tmp/delivered &
	sender=$!
	westwood kernel verify --live $controller 2>/tmp/listener &
	listener=$!
	until grep -q listening /tmp/listener; do sleep 1; done
	touch /tmp/go
	wait $sender || exit 1
	kill -INT $listener
	wait $listener || exit 1
	westwood kernel unload $controller || exit 1
done
# Nobody uses what is gone: the kernel has released each connection once.
westwood kernel status
cat /proc/sys/net/ipv4/tcp_available_congestion_control
