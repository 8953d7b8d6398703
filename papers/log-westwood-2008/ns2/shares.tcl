# Four flows of 100 ms and four of 340 ms on the path of f11, in ns-2.35.
#
#   ns shares.tcl cc=Sack1 rate=20 over=0.0006
#
# rate in Mbit/s; over: the largest random delay before a packet is sent, in seconds (overhead_).
# Writes goodputs in Mbit/s and Jain's index from 20 s to the end.
array set o {rate 20 cc Sack1 seed 1 end 500 begin 20 buffer 300 over 0}
foreach a $argv { set pair [split $a =]; set o([lindex $pair 0]) [lindex $pair 1] }
ns-random $o(seed)
# With ns-2's header of 40 bytes 1500 on the link; goodput counts all of it.
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 20000
Agent/TCP set minrto_ 1
Agent/TCP set windowInit_ 1
Agent/TCP set timestamps_ true
Agent/TCP set overhead_ $o(over)
set ns [new Simulator]
set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 $o(rate)Mb 10ms DropTail
$ns queue-limit $r1 $r2 $o(buffer)
$ns queue-limit $r2 $r1 $o(buffer)
set rng [new RNG]
$rng seed $o(seed)
for {set i 0} {$i < 8} {incr i} {
    set delay [expr {$i < 4 ? 20 : 80}]
    set s [$ns node]
    set k [$ns node]
    $ns duplex-link $s $r1 1Gb ${delay}ms DropTail
    $ns duplex-link $r2 $k 1Gb ${delay}ms DropTail
    $ns queue-limit $s $r1 50000
    $ns queue-limit $r2 $k 50000
    set tcp [new Agent/TCP/$o(cc)]
    set sink [expr {$o(cc) eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
    $ns attach-agent $s $tcp
    $ns attach-agent $k $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$rng uniform 0.01 1.01] "$ftp start"
    lappend flows $tcp
}
$ns at $o(begin) { foreach t $flows { lappend before [$t set ack_] } }
$ns at $o(end) {
    set sum 0
    set squares 0
    foreach t $flows b $before {
        set x [expr {([$t set ack_] - $b) * 12000.0 / ($o(end) - $o(begin)) / 1e6}]
        lappend goodputs [format %.3f $x]
        set sum [expr {$sum + $x}]
        set squares [expr {$squares + $x * $x}]
    }
    puts stderr "$o(cc) $o(rate) Mbit/s: $goodputs, Jain [expr {$sum * $sum / 8 / $squares}]"
    exit 0
}
$ns run
