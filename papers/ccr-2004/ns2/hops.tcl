# C1 through all hops of f18 and f22 beside a flow of its kind over each, one each way, in ns-2.35.
#
#   ns hops.tcl cc=Vegas hops=4 seed=1
#   ns hops.tcl cc=Newreno hops=4 delayed=1
#
# Receivers acknowledge each segment, or delay ACKs with delayed=1 (Vegas' never do). Cross flows start within the
# first tenth of a second, at random. Writes the goodput of C1 in Mbit/s from its start at 10 s to the end, and its
# window at the end.
array set o {cc Vegas hops 4 seed 1 delayed 0 end 1000 begin 10}
foreach a $argv { set pair [split $a =]; set o([lindex $pair 0]) [lindex $pair 1] }
remove-all-packet-headers
add-packet-header IP TCP Flags
# With ns-2's header of 40 bytes 1500 on the link; goodput counts all of it. Vegas adds no header.
Agent/TCP set packetSize_ [expr {$o(cc) eq "Vegas" ? 1500 : 1460}]
Agent/TCP set window_ 20000
Agent/TCP set minrto_ 1
Agent/TCP set windowInit_ 3
Agent/TCP set timestamps_ true
Agent/TCP set ts_option_size_ 0
set ns [new Simulator]
set rng [new RNG]
$rng seed $o(seed)
set r(0) [$ns node]
for {set i 0} {$i < $o(hops)} {incr i} {
    set j [expr {$i + 1}]
    set r($j) [$ns node]
    $ns duplex-link $r($i) $r($j) 10Mb 10ms DropTail
    $ns queue-limit $r($i) $r($j) 125
    $ns queue-limit $r($j) $r($i) 125
}
proc flow {from to start} {
    global ns o
    set s [$ns node]
    set k [$ns node]
    foreach {x y} [list $s $from $to $k] {
        $ns duplex-link $x $y 100Mb 20ms DropTail
        $ns queue-limit $x $y 50000
        $ns queue-limit $y $x 50000
    }
    set tcp [new Agent/TCP/$o(cc)]
    set delays [expr {$o(delayed) && $o(cc) ne "Vegas"}]
    set sink [new Agent/TCPSink[expr {$delays ? "/DelAck" : ""}]]
    $ns attach-agent $s $tcp
    $ns attach-agent $k $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}
set c1 [flow $r(0) $r($o(hops)) $o(begin)]
for {set i 0} {$i < $o(hops)} {incr i} {
    set j [expr {$i + 1}]
    flow $r($i) $r($j) [$rng uniform 0 0.1]
    flow $r($j) $r($i) [$rng uniform 0 0.1]
}
$ns at $o(end) {
    set goodput [expr {([$c1 set ack_] + 1) * 12000.0 / ($o(end) - $o(begin)) / 1e6}]
    puts stderr "$o(cc), $o(hops) hops, seed $o(seed): $goodput Mbit/s, window [$c1 set cwnd_]"
    exit 0
}
$ns run
