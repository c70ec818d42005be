"""Inventories as `ipmitool fru print 0` prints them: fields of IPMI's FRU Information Storage Definition 1.0."""

import pytest
from wattmark_drivers.errors import BadReply
from wattmark_drivers.ipmi.fru import parse_serial

SERVER = """\
 Chassis Type          : Rack Mount Chassis
 Chassis Serial        : C8150LI10A50003
 Board Mfg Date        : Mon Dec 31 23:00:00 2018
 Board Mfg             : Supermicro
 Board Serial          : OM18AS602243
 Product Manufacturer  : Supermicro
 Product Name          : SYS-6029P-TRT
 Product Serial        : A263321X9115871
"""


def test_the_serial_number_of_the_product_is_read():
    assert parse_serial(SERVER) == "A263321X9115871"
    assert parse_serial(SERVER.replace("A263321X9115871", "SIMULATED 91N123456")) == "SIMULATED 91N123456"


def test_an_inventory_without_one_has_none():
    assert parse_serial(" Board Mfg             : Quanta\n Product Serial        : \n") == ""


def test_an_inventory_without_a_product_leaves_open_what_its_serial_number_is():
    """The product comes last, and may not have been read; what is asked next may say that a BMC is simulated."""
    with pytest.raises(BadReply):
        parse_serial(SERVER.partition(" Product Manufacturer")[0])


@pytest.mark.parametrize("text", ["", " Device not present (Requested sensor, data, or record not found)\n", "4e c0\n"])
def test_what_is_no_inventory_says_nothing(text):
    with pytest.raises(BadReply):
        parse_serial(text)
