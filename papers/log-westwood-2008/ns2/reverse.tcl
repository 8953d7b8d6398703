# One flow against k New Reno flows in the other direction, on the path of f08, in ns-2.35.
#
#   ns reverse.tcl cc=sack k=2
#
# cc: sack, newreno, or a module of Linux 2.6.22 as linux-NAME. Writes goodputs in Mbit/s from 20 s to the end.
array set o {cc sack k 2 end 300 begin 20 seed 1}
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
set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 100Mb 10ms DropTail
$ns queue-limit $r1 $r2 300
$ns queue-limit $r2 $r1 300
set rng [new RNG]
$rng seed $o(seed)
proc flow {a b kind at} {
    global ns
    set s [$ns node]
    set k [$ns node]
    $ns duplex-link $s $a 1Gb 40ms DropTail
    $ns duplex-link $b $k 1Gb 40ms DropTail
    foreach {from to} [list $s $a $a $s $b $k $k $b] { $ns queue-limit $from $to 50000 }
    switch -glob $kind {
        sack { set t [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1] }
        newreno { set t [new Agent/TCP/Newreno]; set sink [new Agent/TCPSink] }
        linux-* {
            set t [new Agent/TCP/Linux]
            set sink [new Agent/TCPSink/Sack1]
            $ns at 0 "$t select_ca [string range $kind 6 end]"
        }
    }
    $ns attach-agent $s $t
    $ns attach-agent $k $sink
    $ns connect $t $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $t
    $ns at $at "$ftp start"
    return $t
}
set flows [flow $r1 $r2 $o(cc) 0.0]
for {set i 0} {$i < $o(k)} {incr i} { lappend flows [flow $r2 $r1 newreno [$rng uniform 0.01 1.01]] }
$ns at $o(begin) { foreach t $flows { lappend before [$t set ack_] } }
$ns at $o(end) {
    set reverse 0
    foreach t $flows b $before {
        set x [expr {([$t set ack_] - $b) * 12000.0 / ($o(end) - $o(begin)) / 1e6}]
        if {$t eq [lindex $flows 0]} { set there $x } else { set reverse [expr {$reverse + $x}] }
    }
    puts stderr "$o(cc) beside $o(k): $there Mbit/s, these $reverse"
    exit 0
}
$ns run
