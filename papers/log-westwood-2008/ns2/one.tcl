# One SACK flow under independent losses of data on the path of f04, in ns-2.35.
#
#   ns one.tcl loss=1e-3
#
# Writes the goodput in Mbit/s from 20 s to the end.
array set o {loss 1e-3 end 2000 begin 20 seed 1}
foreach a $argv { set pair [split $a =]; set o([lindex $pair 0]) [lindex $pair 1] }
remove-all-packet-headers
add-packet-header IP TCP Flags
# With ns-2's header of 40 bytes 1500 on the link; goodput counts all of it.
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 20000
Agent/TCP set minrto_ 1
Agent/TCP set windowInit_ 1
Agent/TCP set timestamps_ true
Agent/TCP set ts_option_size_ 0
set ns [new Simulator]
foreach name {s r1 r2 k} { set $name [$ns node] }
$ns duplex-link $s $r1 1Gb 40ms DropTail
$ns duplex-link $r1 $r2 100Mb 10ms DropTail
$ns duplex-link $r2 $k 1Gb 40ms DropTail
$ns queue-limit $s $r1 50000
$ns queue-limit $r1 $r2 300
$ns queue-limit $r2 $r1 300
$ns queue-limit $k $r2 50000
set rng [new RNG]
$rng seed $o(seed)
set draw [new RandomVariable/Uniform]
$draw use-rng $rng
set errors [new ErrorModel]
$errors set rate_ $o(loss)
$errors unit pkt
$errors ranvar $draw
$errors drop-target [new Agent/Null]
$ns link-lossmodel $errors $r1 $r2
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $s $tcp
$ns attach-agent $k $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
$ns at $o(begin) { set before [$tcp set ack_] }
$ns at $o(end) {
    set goodput [expr {([$tcp set ack_] - $before) * 12000.0 / ($o(end) - $o(begin)) / 1e6}]
    puts stderr "loss $o(loss), seed $o(seed): $goodput Mbit/s"
    exit 0
}
$ns run
